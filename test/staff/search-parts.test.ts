import { newEmailProof } from '../../src/domain/accounts/prove-email.ts';
import { reauthorizationLink } from '../../src/domain/authorization/reauthorize.ts';
import { wordPartsOf } from '../../src/domain/people/near-words.ts';
import { newHexId } from '../../src/shared/ids.ts';
import { upsertAccount } from '../../src/store/accounts/accounts.ts';
import type { CookieWalker, Page } from '../support/callers/cookie-walker.ts';
import { startSystem, type System } from '../support/bridge/system.ts';
import { pressIn, waitingToken, wordsOf } from '../owners/support/people.ts';
import { unreachedMail } from './support/actions.ts';
import { staffBrowser } from './support/staff-browser.ts';

/** Support finds by what callers say: parts of names and addresses, with small mistakes, and links. (databaseKinds) */

let system: System;
let sam: CookieWalker;
const okafor = { account_id: newHexId(), name: 'Ngozi Okafor', email: 'ngozi@okafor.example' };
const umlaut = { account_id: newHexId(), name: 'Örjan ÅSTRÖM', email: 'orjan@north.example' };
const decomposed = { account_id: newHexId(), name: 'Ju\u0308rg Mu\u0308llersen', email: 'jm@south.example' };
let app: { clientId: string };

beforeAll(async () => {
  system = await startSystem();
  sam = await staffBrowser(system, 'reader');
  const { durable } = system.bridge.context.store;
  for (const account of [okafor, umlaut, decomposed])
    await upsertAccount(durable, { ...account, timezone: null, updated_at: 0 });
  app = await system.registerApp('https://hooks.sunny-bakery.example/callback');
  await durable
    .updateTable('apps')
    .set({ name: 'Sunny bakery' })
    .where('client_id', '=', app.clientId)
    .execute();
});
afterAll(() => system.stop());

async function searchFor(text: string): Promise<Page> {
  return pressIn(sam, await sam.get(`${system.bridgeUrl}/support`), /^Search$/, { q: text });
}

/** The page of the only thing that was found, or the page of what was found. */
async function found(text: string): Promise<string> {
  const page = await searchFor(text);
  return page.location ?? page.body;
}

test.each([
  ['a surname', 'okafor'],
  ['a surname in capitals', 'OKAFOR'],
  ['a part of a name', 'goz'],
  ['the domain of an address', '@okafor.example'],
  ['a part of an address', 'ngozi@oka'],
])('%s finds its person', async (_, text) => {
  expect(await found(text)).toBe(`/support/accounts/${okafor.account_id}`);
});

test.each(['\0', 'ab\0cdef', 'okafor\0', '\u0001\u0002\u0003'])(
  'a text with control characters (%j) finds nobody, and is no fault',
  async (text) => {
    const page = await searchFor(text);
    expect(page.status).toBeLessThan(500);
    expect(page.location ?? '').not.toContain(okafor.account_id);
  },
);

test.each(['åström', 'Åström', 'ÅSTRÖM', 'örjan', 'tröm'])(
  '%s finds its person, in any case',
  async (text) => {
    expect(await found(text)).toContain(`/support/accounts/${umlaut.account_id}`);
  },
);

test.each([
  ['a name that was pasted in two characters for a letter with its mark', 'A\u030Astro\u0308m', umlaut],
  ['a part of one', 'stro\u0308m', umlaut],
  ['the beginning of one', 'O\u0308rjan a\u030As', umlaut],
  ['a name that is kept so', 'müllersen', decomposed],
  ['the beginning of a name that is kept so', 'jürg m', decomposed],
])('%s finds its person as it is written', async (_, text, { account_id: id }) => {
  expect(await found(text)).toBe(`/support/accounts/${id}`);
});

test.each([
  ['a letter too few', 'okafr'],
  ['a letter too many', 'okaffor'],
  ['a wrong letter', 'okagor'],
  ['two letters in each other’s place', 'okaofr'],
  ['the two letters in the middle in each other’s place', 'okfaor'],
  ['a mistake in an address', 'ngozi@okafor.exampel'],
])('%s finds the person, and the page says that it is written nearly so', async (_, text) => {
  expect(await found(text)).toContain('Nothing is written exactly so');
  expect(await found(text)).toContain(`/support/accounts/${okafor.account_id}`);
});

/** A word with one mistake at one place: wrong, missing, too many, or in the place of its neighbour. */
function mistakesIn(word: string, at: number): string[] {
  const [before, letter, after] = [word.slice(0, at), word.charAt(at), word.slice(at + 1)];
  return [
    `${before}#${after}`,
    `${before}${after}`,
    `${before}#${letter}${after}`,
    `${before}${after.slice(0, 1)}${letter}${after.slice(1)}`,
  ];
}

test('wherever the mistake is in a word of six letters or more, it leaves a part that is looked for', () => {
  const words = [6, 7, 8, 9, 10].map((length) => 'abcdefghij'.slice(0, length));
  const lost = words.flatMap((word) =>
    Array.from(word).flatMap((_, at) =>
      mistakesIn(word, at).filter((typed) => !wordPartsOf(typed, 3).some((part) => word.includes(part))),
    ),
  );
  expect(lost).toEqual([]);
});

test('what is nearly alike is not mixed with what is written so', async () => {
  const { durable } = system.bridge.context.store;
  for (const name of ['Marisol Quintero', 'Ana Quintera'])
    await upsertAccount(durable, {
      account_id: newHexId(),
      name,
      email: null,
      timezone: null,
      updated_at: 0,
    });
  const page = await searchFor('quinterro');
  expect(wordsOf(page)).toMatch(/Nothing is written exactly so.*Marisol Quintero/);
  const both = await searchFor('quinter');
  expect(wordsOf(both)).not.toContain('Nothing is written exactly so');
});

test('a name that has changed is found by the new one alone', async () => {
  const { durable } = system.bridge.context.store;
  const account = { account_id: newHexId(), email: null, timezone: null, updated_at: 0 };
  await upsertAccount(durable, { ...account, name: 'Wilhelmina Before' });
  await upsertAccount(durable, { ...account, name: 'Wilhelmina Afterwards' });
  expect(await found('afterwards')).toBe(`/support/accounts/${account.account_id}`);
  expect(await found('mina befor')).toContain('Nothing was found');
});

test.each([
  ['a typo in the name', 'bakerry'],
  ['a callback’s host', 'hooks.sunny-bakery.example'],
  ['a whole callback', 'https://hooks.sunny-bakery.example/callback?x=1'],
  ['a part of the host', 'sunny-bakery.exam'],
  ['a typo in the host', 'hooks.suny-bakery.example'],
  ['the link of a 401', ''],
])('%s finds its app', async (_, text) => {
  const link = `{"error":"invalid","link":"https://bridge.example/apps/${app.clientId}"}`;
  expect(await found(text === '' ? link : text)).toContain(`/support/apps/${app.clientId}`);
});

test('the link of a mail finds the token that it connects', async () => {
  const { id } = await waitingToken(system, { accountId: okafor.account_id });
  const pair = { clientId: system.app.clientId, accountId: okafor.account_id };
  const link = await reauthorizationLink(system.bridge.context, pair);
  expect(await found(`please look: <${link}>.`)).toBe(`/support/mappings/${id}`);
});

test('a part of an address under which a token waits finds the token, until it has its account', async () => {
  const { id } = await waitingToken(system, { email: 'carla@florist-shop.example' });
  expect(await found('florist-shop')).toBe(`/support/mappings/${id}`);
  expect(await found('carla@florist-shpo.example')).toContain(`/support/mappings/${id}`);
  await system.bridge.context.store.durable
    .updateTable('mappings')
    .set({ account_id: okafor.account_id })
    .where('id', '=', id)
    .execute();
  expect(await found('florist-shop')).toContain('Nothing was found');
});

test('a link that proves an address finds what waits there, and is neither used up nor shown', async () => {
  const { id } = await waitingToken(system, { email: 'prove@florist.example' });
  const link = await newEmailProof(system.bridge.context, 'prove@florist.example');
  expect(await found(link)).toBe(`/support/mappings/${id}`);
  await waitingToken(system, { email: 'prove@florist.example' });
  const page = await searchFor(link);
  expect(page.body).toContain(`/support/mappings/${id}`);
  expect(page.body).not.toContain(link.slice(-20));
  const { durable } = system.bridge.context.store;
  const used = await durable.selectFrom('email_proofs').select('used_at').execute();
  expect(used.every(({ used_at }) => used_at === null)).toBe(true);
});

test('the link by which a reader wants no more mails finds the person of the mail', async () => {
  const mailId = await unreachedMail(system, `account:${okafor.account_id}`);
  const link = `${system.bridgeUrl}/mails/${mailId}-abcdefghijklmnopqrstuv/not-me`;
  expect(await found(link)).toBe(`/support/accounts/${okafor.account_id}`);
});
