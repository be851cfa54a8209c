import { purgeExpired } from '../../src/domain/purge-expired.ts';
import { DAY } from '../../src/shared/lifetimes.ts';
import { issueToken } from '../support/callers/legacy-calls.ts';
import { SettableClock } from '../support/bridge/settable-clock.ts';
import type { System } from '../support/bridge/system.ts';
import { confirm, exchange, fieldOf, startSystemWithOwnClient } from './support/own-client.ts';

/** What an app is told that asks for its pair after it has confirmed the hand-over. */

let system: System;
const clock = new SettableClock();

beforeAll(async () => {
  system = await startSystemWithOwnClient({ clock });
});
afterAll(() => system.stop());

test('the owner can take the confirmation back for as long as the pair is kept, and then not', async () => {
  const token = await issueToken(system);
  const told = async () => {
    const answer = await exchange(system.bridgeUrl, token);
    expect([answer.status, fieldOf(answer, 'error')]).toEqual([400, 'invalid_request']);
    return fieldOf(answer, 'error_description');
  };
  expect((await exchange(system.bridgeUrl, token)).status).toBe(200);
  const until = new Date(clock.now() + 7 * DAY).toISOString().slice(0, 10);
  expect((await confirm(system.bridgeUrl, token)).status).toBe(200);
  const page = `${system.bridgeUrl}/apps/${system.app.clientId}/handovers/`;
  expect(await told()).toMatch(
    new RegExp(`take the confirmation back on ${page}\\d+/take-back until ${until}T`),
  );
  // The pair is erased by a job, which comes a little later.
  clock.advance(7 * DAY);
  expect(await told()).toContain('no longer kept');
  await purgeExpired(system.bridge.context);
  expect(await told()).toContain('no longer kept');
});
