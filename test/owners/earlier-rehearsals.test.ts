import { DAY, MINUTE, USAGE_KEPT } from '../../src/shared/lifetimes.ts';
import { sendRaw } from '../support/callers/raw-request.ts';
import { registerLegacyApp } from '../support/bridge/register-app.ts';
import { SettableClock } from '../support/bridge/settable-clock.ts';
import { startSystem, type System } from '../support/bridge/system.ts';
import { browserOf, DANA, pressIn, waitingToken, wordsOf } from './support/people.ts';

/** What an owner reads of rehearsals of long ago: the calls that failed then, for as long as these are kept. */

const clock = new SettableClock();
let system: System;

beforeAll(async () => {
  system = await startSystem({
    clock,
    env: {
      LEGACY_BACKEND_URL: 'http://127.0.0.1:9',
      LEGACY_RETIREMENT_AT: new Date(clock.now() + 600 * DAY).toISOString(),
    },
  });
});
afterAll(() => system.stop());

test('a rehearsal of two months ago still says how many calls failed, and one whose calls are no longer kept is not told', async () => {
  const app = await registerLegacyApp(system.bridge, 'https://mine.example/cb', DANA.accountId);
  const { token } = await waitingToken(system, { app, accountId: DANA.accountId });
  const page = `${system.bridgeUrl}/apps/${app.clientId}/rehearse`;
  const rehearse = async (calls: number) => {
    const dana = await browserOf(system);
    await pressIn(dana, await dana.get(page), /^Start/);
    await system.bridge.context.lifecycle.refresh();
    clock.advance(10_000);
    for (let index = 0; index < calls; index += 1) {
      const headers = { authorization: `Bearer ${token}` };
      expect((await sendRaw(system.bridgeUrl, { path: '/1/user.json', headers })).status).toBe(401);
    }
    await system.bridge.context.usage.flush();
    clock.advance(6 * MINUTE);
  };
  const told = async () => wordsOf(await (await browserOf(system)).get(page));
  await rehearse(3);
  clock.advance(60 * DAY);
  await rehearse(0);
  expect(await told()).toMatch(/Earlier rehearsals .* 3 calls failed\./);
  clock.advance(USAGE_KEPT - 61 * DAY);
  await rehearse(0);
  clock.advance(2 * DAY);
  expect((await told()).match(/No call failed/g)).toHaveLength(1);
});
