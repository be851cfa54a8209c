import { startRehearsal } from '../../src/domain/lifecycle/changes/rehearse.ts';
import { type Bridges, startBridges } from '../races/bridges.ts';
import { until } from '../support/servers/held-answer.ts';
import { sendRaw } from '../support/callers/raw-request.ts';
import { modeDatabases } from '../support/jest/test-mode.ts';

/** The end of a rehearsal is data: it comes on every process, whatever became of those that ran meanwhile. */

describe.each(modeDatabases)('a rehearsal on %s', (database) => {
  let bridges: Bridges;

  beforeAll(async () => {
    bridges = await startBridges({ count: 2, database });
  });
  afterAll(() => bridges.stop());

  const statusAt = async (place: number) =>
    (
      await sendRaw(bridges.processes[place]?.url ?? '', {
        path: `/oauth2/authorize?client_id=${bridges.app.clientId}&response_type=code`,
      })
    ).status;

  test('ends by itself though every process that knew of it was killed in it', async () => {
    const { context, app, processes } = bridges;
    const asked = { clientId: app.clientId, rehearses: 'sunset' as const, actor: 'test', requestId: null };
    const { id } = await startRehearsal(context, asked);
    await until(async () => (await statusAt(0)) === 410 && (await statusAt(1)) === 410);
    await Promise.all(processes.map((one) => one.kill()));
    // Nobody waits for five minutes: the end is moved to where the clock will soon be.
    const endsAt = context.clock.now() + 30_000;
    await context.store.durable
      .updateTable('brownouts')
      .set({ ends_at: endsAt })
      .where('id', '=', id)
      .execute();
    await Promise.all(processes.map((one) => one.start()));
    expect(context.clock.now()).toBeLessThan(endsAt - 1000);
    expect([await statusAt(0), await statusAt(1)]).toEqual([410, 410]);
    await processes[0]?.kill();
    await until(async () => (await statusAt(1)) !== 410, 90_000);
    expect(context.clock.now()).toBeGreaterThanOrEqual(endsAt);
    expect(context.clock.now()).toBeLessThan(endsAt + 20_000);
    await processes[0]?.start();
    expect(await statusAt(0)).toBe(await statusAt(1));
  });
});
