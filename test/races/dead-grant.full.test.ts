import { modeDatabases } from '../support/jest/test-mode.ts';
import { type Bridges, startBridges } from './bridges.ts';
import { BRIDGE_CLIENT } from '../support/servers/modern-side.ts';
import { rawForm, sendRaw } from '../support/callers/raw-request.ts';
import { burst, connectApp, expireGrants, grantOf, nth, readAt, refreshTokenOf } from './calls.ts';

/** A grant that the modern side has ended costs one token request, and never another. */

/** The account holder ends it in the settings of the modern side. */
async function endUpstream(bridges: Bridges): Promise<void> {
  const token = await refreshTokenOf(bridges, bridges.app);
  const body = new URLSearchParams({ client_id: BRIDGE_CLIENT, token }).toString();
  const path = '/token/revocation';
  const { host } = new URL(bridges.proxy.origin);
  const answer = await sendRaw(bridges.modernUrl, { method: 'POST', path, ...rawForm(body, { host }) });
  if (answer.status !== 200) throw new Error(`the modern side answered ${answer.status}: ${answer.text}`);
}

describe.each(modeDatabases)('on %s', (database) => {
  let bridges: Bridges;
  beforeAll(async () => {
    bridges = await startBridges({ count: 2, database });
  });
  afterAll(() => bridges.stop());

  test('a dead grant costs no further token request, also after kill -9 and a new start of every process', async () => {
    const token = await connectApp(bridges);
    await endUpstream(bridges);
    await expireGrants(bridges);
    const before = bridges.proxy.refreshes().length;
    expect((await readAt(nth(bridges, 0), token)).status).toBe(401);
    expect(bridges.proxy.refreshes().length - before).toBe(1);
    expect(await grantOf(bridges, bridges.app)).toMatchObject({ state: 'dead', dead_cause: 'refused' });

    await Promise.all(bridges.processes.map((each) => each.kill()));
    await Promise.all(bridges.processes.map((each) => each.start()));
    const load = { calls: 25, atOnce: 5 };
    const bursts = await Promise.all(bridges.processes.map((each) => burst(each, token, load)));
    for (const { statuses, waits } of bursts) {
      expect([...statuses]).toEqual([401]);
      expect(waits).toHaveLength(25);
    }
    expect(bridges.proxy.refreshes().length - before).toBe(1);
  });
});
