import { countCallsSince } from '../../../src/store/usage/known-calls.ts';
import { registerLegacyApp } from '../../support/bridge/register-app.ts';
import { startSystem, type System } from '../../support/bridge/system.ts';
import { browserOf, DANA, waitingToken, wordsOf } from '../support/people.ts';

/** A token that calls very many addresses on one day: some of its calls are counted without their names. */

let system: System;
beforeAll(async () => {
  system = await startSystem();
});
afterAll(() => system.stop());

test('the old calls that an app makes are at least those that have a name', async () => {
  const app = await registerLegacyApp(system.bridge, 'https://mine.example/cb', DANA.accountId);
  const { id: mappingId } = await waitingToken(system, { app, accountId: DANA.accountId });
  const { usage } = system.bridge.context;
  const note = (endpoint: string) =>
    usage.note({ mappingId, endpoint, carrier: 'header', userAgent: 'probe/1.0', status: 404 });
  const told = async () => {
    await usage.flush();
    const dana = await browserOf(system);
    return wordsOf(await dana.get(`${system.bridgeUrl}/apps/${app.clientId}/new-calls`));
  };
  await countCallsSince(system.bridge.context.store, 0);
  note('/1/user.json');
  expect(await told()).toMatch(/The app made one of the nineteen old calls .*user\.json +1 call/);
  for (let index = 0; index < 25; index += 1) note(`/1/path-${String.fromCodePoint(97 + index)}.json`);
  note('/1/profiles.json');
  expect(await told()).toMatch(
    /The app made at least one of the nineteen old calls .*user\.json +at least 1 call/,
  );
});
