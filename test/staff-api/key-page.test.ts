import { browserOf, pressIn, SAM, wordsOf } from '../owners/support/people.ts';
import { becomes } from '../staff/support/actions.ts';
import { staffBrowser } from '../staff/support/staff-browser.ts';
import type { CookieWalker } from '../support/callers/cookie-walker.ts';
import { startSystem, type System } from '../support/bridge/system.ts';
import { listApiKeys } from '../../src/domain/api-keys/api-key-list.ts';
import { ask, keyFor, problemIn } from './support/api-client.ts';
import { waitingToken } from '../owners/support/people.ts';

/** /support/api-keys: leads make and end the keys of programs. */

let system: System;
let sam: CookieWalker;

beforeAll(async () => {
  system = await startSystem();
  sam = await staffBrowser(system, 'lead');
});
afterAll(() => system.stop());
afterEach(() => becomes(system, 'lead'));

const address = () => `${system.bridgeUrl}/support/api-keys`;
const fill = async (entries: Record<string, string>) =>
  pressIn(sam, await sam.get(address()), /Make the key/, {
    name: 'Ticket desk',
    role: 'agent',
    days: '30',
    ...entries,
  });
const keyOn = (body: string) => /gbk_[\w-]{43}/.exec(body)?.[0] ?? '';

test('a new key is shown once, works at once, and ends when its maker is no lead any more', async () => {
  const made = await fill({});
  const key = keyOn(made.body);
  expect(await ask(system, ['GET', '/key'], { key })).toMatchObject({
    json: { name: 'Ticket desk', role: 'agent' },
  });
  const list = await sam.get(address());
  expect(wordsOf(list)).toMatch(/Ticket desk [0-9a-f]{24} agent live/);
  expect(list.body).not.toContain(key);
  await becomes(system, 'reader');
  expect(await ask(system, ['GET', '/key'], { key })).toMatchObject({ json: { role: 'reader' } });
});

test('the list says what a key may do now, and that it is refused', async () => {
  const key = keyOn((await fill({ name: 'Follows' })).body);
  const states = async () =>
    (await listApiKeys(system.bridge.context))
      .filter(({ name }) => name === 'Follows')
      .map(({ role, mayNow, state }) => ({ role, mayNow, state }));
  expect(await states()).toEqual([{ role: 'agent', mayNow: 'agent', state: 'live' }]);
  await becomes(system, 'reader');
  expect(await states()).toEqual([{ role: 'agent', mayNow: 'reader', state: 'live' }]);
  const { durable } = system.bridge.context.store;
  const removed = await durable
    .deleteFrom('staff')
    .where('account_id', '=', SAM.accountId)
    .returningAll()
    .execute();
  expect(await states()).toEqual([{ role: 'agent', mayNow: undefined, state: 'refused' }]);
  expect(problemIn(await ask(system, ['GET', '/key'], { key }))).toBe('401 wrong-key');
  await durable.insertInto('staff').values(removed).execute();
  await becomes(system, 'lead');
  await durable
    .updateTable('api_keys')
    .set({ role: 'agent', account_id: 'gone' })
    .where('name', '=', 'Follows')
    .execute();
  const words = wordsOf(await sam.get(address()));
  expect(words).toMatch(/Follows [0-9a-f]{24} agent refused: its maker is no staff/);
  expect(words).toContain('End the key Follows');
});

test('a form that is sent twice makes one key', async () => {
  const page = await sam.get(address());
  const entries = { name: 'Sent twice', role: 'reader', days: '1' };
  const first = await pressIn(sam, page, /Make the key/, entries);
  const second = await pressIn(sam, page, /Make the key/, entries);
  expect([keyOn(first.body) === '', keyOn(second.body)]).toEqual([false, '']);
  expect(wordsOf(second)).toContain('The key was made already');
  expect(wordsOf(await sam.get(address())).match(/Sent twice/g)).toHaveLength(2);
});

const rows = () => system.bridge.context.store.durable.selectFrom('api_keys').select('id').execute();

test.each([
  [{ name: ' ' }, 'The name has to have 1 to 80 printable characters.'],
  [{ name: `1/${'0123456789abcdef'.repeat(2)}` }, 'The name seems to hold a token or secret.'],
  [{ days: '367' }, 'A key lasts a whole number of days, from 1 to 366.'],
  [{ days: '1e1x' }, 'A key lasts a whole number of days, from 1 to 366.'],
  [{ role: 'owner' }, 'Choose a role.'],
])('%j makes no key', async (entries, words) => {
  const before = (await rows()).length;
  const answer = await fill(entries);
  expect([answer.status, wordsOf(answer).includes(words)]).toEqual([422, true]);
  expect((await rows()).length).toBe(before);
});

test('a key is ended with a reason, which stands in the history with who did it', async () => {
  const { id, key } = await keyFor(system, 'lead');
  const page = await sam.get(`${address()}/${id}/end`);
  const left = await pressIn(sam, page, /End the key/, { reason: 'left the company' });
  expect(left.location).toContain('done=api-key-ended');
  expect(problemIn(await ask(system, ['GET', '/key'], { key }))).toBe('401 wrong-key');
  const { durable } = system.bridge.context.store;
  const entry = await durable
    .selectFrom('events')
    .select(['actor', 'reason'])
    .where('action', '=', 'api_key_ended')
    .executeTakeFirstOrThrow();
  expect(entry).toEqual({ actor: `account:${SAM.accountId}`, reason: `${id} “a lead”; left the company` });
});

test('a page of support names the program that acted', async () => {
  const { id: mappingId } = await waitingToken(system, { app: system.app });
  const { id, key } = await keyFor(system, 'agent');
  const body = { reason: 'ticket 4711' };
  await ask(system, ['POST', `/tokens/${mappingId}/revoke`], { key, body });
  const page = await sam.get(`${system.bridgeUrl}/support/mappings/${mappingId}`);
  expect(wordsOf(page)).toContain(`a program (API key ${id})`);
});

test('who is no lead sees no way there', async () => {
  await becomes(system, 'agent');
  const agent = await browserOf(system, SAM);
  expect((await agent.get(`${system.bridgeUrl}/support`)).body).not.toContain('/support/api-keys');
  expect((await agent.get(address())).status).toBe(403);
});
