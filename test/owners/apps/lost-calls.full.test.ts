import { openPostgresStore } from '../../../src/store/driver/postgres.ts';
import { callsWholeAfter, noteCounting } from '../../../src/store/usage/known-calls.ts';
import { addUsage } from '../../../src/store/usage/usage.ts';
import { startPostgres, type TestPostgres } from '../../support/database/postgres.ts';

/** A crash of PostgreSQL empties what is unlogged, and so does a standby that takes over. */

let server: TestPostgres;

beforeAll(async () => {
  server = await startPostgres();
}, 60_000);
afterAll(() => server.stop());

test('after a crash it is not known which calls came, and from the next ones on it is', async () => {
  const store = await openPostgresStore(server.url);
  const call = (last_at: number) =>
    addUsage(store, [
      {
        mapping_id: 'm',
        day: '2027-01-20',
        endpoint: '/1/user.json',
        carrier: 'header',
        user_agent: 'weekly/1.0',
        outcome: 'ok',
        calls: 1,
        last_at,
      },
    ]);
  try {
    expect(await callsWholeAfter(store)).toEqual({ tokens: Infinity, apps: Infinity });
    await noteCounting(store.volatile, 500);
    await call(1000);
    expect(await callsWholeAfter(store)).toEqual({ tokens: 500, apps: 500 });
    await server.restart('SIGQUIT');
    expect(await callsWholeAfter(store)).toEqual({ tokens: Infinity, apps: Infinity });
    await Promise.all([call(3000), call(2000)]);
    const { tokens, apps } = await callsWholeAfter(store);
    expect([2000, 3000]).toContain(tokens);
    expect(apps).toBe(tokens);
    await call(9000);
    expect(await callsWholeAfter(store)).toEqual({ tokens, apps });
  } finally {
    await store.close();
  }
});
