import { withLease } from '../../src/domain/work/lease.ts';
import { newHexId, newLegacyToken } from '../../src/shared/ids.ts';
import { SECOND } from '../../src/shared/lifetimes.ts';
import { databaseKinds } from '../support/jest/test-mode.ts';
import { keyFor, type Program, problemIn, programOf } from './support/api-client.ts';
import { type ApiGround, openGround } from './support/ground.ts';

/** One import of rows at a time: for how long one that a process began and did not end keeps others out. */

describe.each(databaseKinds)('on %s', (kind) => {
  let ground: ApiGround;
  let program: Program;

  beforeAll(async () => {
    ground = await openGround(kind);
    program = programOf(ground, (await keyFor(ground, 'lead')).key);
  });
  afterAll(() => ground.stop());

  const clientId = newHexId();
  const app = { type: 'app', client_id: clientId, name: 'Mine', owner_email: 'owner@app.example' };
  const tokens = (count: number) =>
    Array.from({ length: count }, () => {
      const access_token = newLegacyToken();
      return { type: 'token', access_token, client_id: clientId, account_email: 'a@mail.example' };
    });

  test('it is half a minute from the last batch on', async () => {
    const { store, clock } = ground.bridge.context;
    const transaction = store.transaction.bind(store);
    const [ends, left]: [number[], number[]] = [[], []];
    store.transaction = async (work) => {
      const query = store.volatile.selectFrom('leases').select('until').where('name', '=', 'import of rows');
      for (const { until } of await query.execute()) {
        ends.push(until);
        left.push(until - clock.now());
      }
      return transaction(work);
    };
    const answer = await program.post('/import', { rows: [app, ...tokens(1000)] });
    store.transaction = transaction;
    expect(answer.json).toMatchObject({ new: 1001, refused: 0 });
    expect(Math.max(...left)).toBeLessThanOrEqual(30 * SECOND);
    expect(ends.at(-1)).toBeGreaterThan(Number(ends[0]));
  });

  test('meanwhile another is told when to come again', async () => {
    const holder = { ...ground.bridge.context, processId: newHexId() };
    await withLease(holder, { name: 'import of rows', limit: 30 * SECOND }, async () => {
      const refused = await program.post('/import', { rows: tokens(1) });
      expect([problemIn(refused), refused.headers['retry-after']]).toEqual(['409 not-possible', '5']);
      expect(refused.text).toContain('or its process died within the last half minute');
    });
    expect((await program.post('/import', { rows: [app] })).status).toBe(200);
  });
});
