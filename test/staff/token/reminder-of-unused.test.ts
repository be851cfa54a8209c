import { NO_REMINDER } from '../../../src/http/support/actions/act-remind.ts';
import { browserOf, DANA, waitingToken, wordsOf } from '../../owners/support/people.ts';
import { keyFor, programOf } from '../../staff-api/support/api-client.ts';
import { startSystem, type System } from '../../support/bridge/system.ts';
import { staffBrowser } from '../support/staff-browser.ts';

/** Why no reminder leaves about the token that an app got with its registration and that nobody used. */

let system: System;

beforeAll(async () => {
  system = await startSystem();
  await browserOf(system, DANA);
});
afterAll(() => system.stop());

/** The token of an owner, as the registration left it. */
async function unusedToken(): Promise<string> {
  const app = await system.registerApp('https://unused.example/callback');
  const { durable } = system.bridge.context.store;
  const owned = durable.updateTable('apps').set({ owner_account_id: DANA.accountId });
  await owned.where('client_id', '=', app.clientId).execute();
  const { id } = await waitingToken(system, { app, accountId: DANA.accountId });
  await durable.updateTable('mappings').set({ source: 'registration' }).where('id', '=', id).execute();
  return id;
}

test('the form and the API give the same reason, and call nobody unknown who is known', async () => {
  const id = await unusedToken();
  const sam = await staffBrowser(system, 'agent');
  const page = await sam.get(`${system.bridgeUrl}/support/mappings/${id}/remind`);
  const [words, why] = [wordsOf(page), NO_REMINDER['nothing waits']];
  expect(words).toContain('Nobody can be written to about this token just now. Below is why.');
  expect(words).toContain(`The account holder ${why}`);
  expect(words).toContain(`The owner of the app ${why}`);
  expect(sam.forms(page).some(({ action }) => action.endsWith('/remind'))).toBe(false);
  const program = programOf(system, (await keyFor(system, 'agent')).key);
  for (const to of ['holder', 'owner']) {
    const refused = await program.post(`/tokens/${id}/remind`, { to, reason: 'ticket 4711' });
    expect(refused.json).toMatchObject({ status: 409, detail: why });
  }
});
