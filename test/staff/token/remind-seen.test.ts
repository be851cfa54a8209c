import { newHexId } from '../../../src/shared/ids.ts';
import { upsertAccount } from '../../../src/store/accounts/accounts.ts';
import { pressIn, waitingToken, wordsOf } from '../../owners/support/people.ts';
import { startSystem, type System } from '../../support/bridge/system.ts';
import { staffBrowser } from '../support/staff-browser.ts';

/** A reminder goes to the address that the page showed, or not at all. */

let system: System;
beforeAll(async () => {
  system = await startSystem();
});
afterAll(() => system.stop());

const durable = () => system.bridge.context.store.durable;

const mailsAsked = () => durable().selectFrom('mails').select('address').execute();

test('where the token got another holder meanwhile, the form is shown again with the address of that one', async () => {
  const sam = await staffBrowser(system, 'agent');
  const { id } = await waitingToken(system, { email: 'old@box.example' });
  const page = await sam.get(`${system.bridgeUrl}/support/mappings/${id}/remind`);
  expect(wordsOf(page)).toContain('The account holder, old@box.example');
  const account = { account_id: newHexId(), name: 'Ines', email: 'ines@box.example', timezone: null };
  await upsertAccount(durable(), { ...account, updated_at: 0 });
  const holder = { account_id: account.account_id, account_email: null };
  await durable().updateTable('mappings').set(holder).where('id', '=', id).execute();

  const entries = { to: 'holder', reason: 'ticket 4711' };
  const refused = await pressIn(sam, page, /^Send it$/, entries);
  expect(refused.status).toBe(422);
  expect(wordsOf(refused)).toContain('It would go to another address than this page showed');
  expect(wordsOf(refused)).toContain('The account holder, ines@box.example');
  expect(await mailsAsked()).toEqual([]);

  const sent = await pressIn(sam, refused, /^Send it$/, entries);
  expect(sent.location).toBe(`/support/mappings/${id}?done=reminder-asked`);
  expect(await mailsAsked()).toEqual([{ address: 'ines@box.example' }]);
});
