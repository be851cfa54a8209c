import { PassThrough } from 'node:stream';
import { transports } from 'winston';
import type { CookieWalker, Page } from '../support/callers/cookie-walker.ts';
import { issueToken } from '../support/callers/legacy-calls.ts';
import { startSystem, type System } from '../support/bridge/system.ts';
import { testInProcess, testMode } from '../support/jest/test-mode.ts';
import { browserOf, DANA, pressIn, SAM, waitingToken, wordsOf } from '../owners/support/people.ts';
import { staffBrowser } from './support/staff-browser.ts';

/** The search of support: one box that takes anything a caller can give, and gives away nothing that was pasted. */

let system: System;
let sam: CookieWalker;
let token: { id: string; token: string };
const logged: string[] = [];

const supportUrl = () => `${system.bridgeUrl}/support`;

async function searchFor(text: string, browser = sam): Promise<Page> {
  return pressIn(browser, await browser.get(supportUrl()), /^Search$/, { q: text });
}

/** Where a search leads, without the host. */
const leadsTo = async (text: string) => (await searchFor(text)).location;

async function lookUps() {
  const { durable } = system.bridge.context.store;
  return durable.selectFrom('events').selectAll().where('action', '=', 'token_looked_up').execute();
}

/** All that the durable database holds of what happened, as one text. */
async function wholeHistory(): Promise<string> {
  return JSON.stringify(await system.bridge.context.store.durable.selectFrom('events').selectAll().execute());
}

beforeAll(async () => {
  system = await startSystem();
  const stream = new PassThrough().on('data', (line: Buffer) => logged.push(line.toString()));
  const { logger } = system.bridge.context;
  logger.level = 'debug';
  logger.add(new transports.Stream({ stream }));
  await browserOf(system, DANA);
  sam = await staffBrowser(system, 'reader');
  token = await waitingToken(system, { accountId: DANA.accountId });
});

afterAll(() => system.stop());

const shapes: Array<[string, (token: string) => string]> = [
  ['as it is', (t) => t],
  ['with blanks and a line break', (t) => `  ${t}\r\n`],
  ['as a header', (t) => `Authorization: Bearer ${t}`],
  ['as an old header', (t) => `OAuth ${t}`],
  ['in quotes', (t) => `"${t}",`],
  ['in a form', (t) => `a=b&access_token=${encodeURIComponent(t)}&c=d`],
  ['encoded twice', (t) => `access_token=${t.replace('/', '%252F')}`],
  ['in an address', (t) => `https://api.example/1/user.json?access_token=${encodeURIComponent(t)}`],
  ['in JSON', (t) => JSON.stringify({ ok: true, access_token: t })],
  ['in JSON with an escaped slash', (t) => `{"access_token":"${t.replace('/', '\\/')}"}`],
  ['in curl', (t) => `curl -H 'Authorization: Bearer ${t}' https://api.example/1/profiles.json`],
  ['without its beginning', (t) => t.slice(2)],
];

test.each(shapes)('a whole token %s leads to its page', async (_, wrap) => {
  expect(await leadsTo(wrap(token.token))).toBe(`/support/mappings/${token.id}`);
});

test('a whole token that is known is in the history as looked up, by whom, and nothing of its text', async () => {
  const before = (await lookUps()).length;
  await searchFor(token.token);
  const entries = await lookUps();
  expect(entries).toHaveLength(before + 1);
  expect(entries.at(-1)).toMatchObject({
    actor: `account:${SAM.accountId}`,
    mapping_id: token.id,
    account_id: DANA.accountId,
  });
  expect(await wholeHistory()).not.toContain(token.token.slice(2));
});

test.each(shapes)(
  'an unknown token %s is on no page, in no address, log line or history entry',
  async (_, wrap) => {
    const canary = '1/ca7a12ca7a12ca7a12ca7a12ca7a12ff';
    logged.length = 0;
    const page = await searchFor(wrap(canary));
    expect(page.status).toBe(200);
    expect(wordsOf(page)).toContain('not shown again');
    const seen = [
      page.body,
      page.url,
      page.location,
      ...logged,
      await wholeHistory(),
      JSON.stringify([...page.headers]),
    ];
    expect(seen.join('\n')).not.toContain('ca7a12ca7a12');
    // In other processes the lines go elsewhere.
    if (!testMode.isSpawned) expect(logged.join('')).toContain('/support/search');
  },
);

test.each([
  ['the first four characters', (t: string) => t.slice(2, 6)],
  ['the last four characters', (t: string) => t.slice(-4)],
  ['the first ones with 1/', (t: string) => t.slice(0, 6)],
  ['more of the first ones', (t: string) => t.slice(0, 10)],
  ['what our pages show', (t: string) => `${t.slice(0, 6)}…${t.slice(-4)}`],
  ['what our pages show with dots', (t: string) => `${t.slice(0, 6)}...${t.slice(-4)}`],
  ['more of the first ones without 1/', (t: string) => t.slice(2, 9)],
  ['more of the last ones', (t: string) => t.slice(-11)],
  ['more of the last ones with dots', (t: string) => `…${t.slice(-6)}`],
  ['more of the first ones with dots', (t: string) => `${t.slice(2, 8)}...`],
  ['more of both ends', (t: string) => `1/${t.slice(2, 9)}…${t.slice(-5)}`],
  ['the last ones with dots', (t: string) => `…${t.slice(-4)}`],
])('%s of a token lead to its page', async (_, part) => {
  expect(await leadsTo(part(token.token))).toBe(`/support/mappings/${token.id}`);
});

test('an e-mail address leads to its account, a client id or name to its app, an id of ours to its page', async () => {
  const { app } = system;
  const { name } = await system.bridge.context.store.durable
    .selectFrom('apps')
    .select('name')
    .where('client_id', '=', app.clientId)
    .executeTakeFirstOrThrow();
  expect(await leadsTo(`  ${DANA.login.toUpperCase()} `)).toBe(`/support/accounts/${DANA.accountId}`);
  expect(await leadsTo(`Dana <${DANA.login}>`)).toBe(`/support/accounts/${DANA.accountId}`);
  expect(await leadsTo(DANA.accountId.toUpperCase())).toBe(`/support/accounts/${DANA.accountId}`);
  expect(await leadsTo(app.clientId)).toBe(`/support/apps/${app.clientId}`);
  expect(await leadsTo(name.toUpperCase())).toBe(`/support/apps/${app.clientId}`);
  expect(await leadsTo(name.slice(1, -1))).toBe(`/support/apps/${app.clientId}`);
  expect(await leadsTo(token.id)).toBe(`/support/mappings/${token.id}`);
  expect(await leadsTo(`${supportUrl()}/mappings/${token.id}`)).toBe(`/support/mappings/${token.id}`);
});

test('the id of a grant leads to its token, and that of a replaced one to those of its app and account', async () => {
  const app = await system.registerApp('https://granted.example/callback');
  const grants = () =>
    system.bridge.context.store.durable
      .selectFrom('grants')
      .select('id')
      .where('client_id', '=', app.clientId)
      .orderBy('created_at')
      .execute();
  await issueToken(system, { app });
  const [first] = await grants();
  expect(await leadsTo(first?.id ?? '')).toMatch(/^\/support\/mappings\/[0-9a-f]{24}$/);
  await issueToken(system, { app });
  const page = await searchFor(first?.id ?? '');
  expect(new Set(page.body.match(/\/support\/mappings\/[0-9a-f]{24}/g)).size).toBe(2);
  expect(page.body).toContain(`value="${first?.id}"`);
});

test('an address under which tokens wait shows them, masked, and is shown again', async () => {
  const email = 'waiting@people.example';
  const waiting = [await waitingToken(system, { email }), await waitingToken(system, { email })];
  const page = await searchFor(email);
  expect(page.status).toBe(200);
  for (const { id, token: text } of waiting) {
    expect(page.body).toContain(`/support/mappings/${id}`);
    expect(page.body).toContain(`1/${text.slice(2, 6)}…${text.slice(-4)}`);
    expect(page.body).not.toContain(text.slice(2));
  }
  expect(page.body).toContain(`value="${email}"`);
});

test('of very many only a hundred are shown, and the page says so', async () => {
  const email = 'many@people.example';
  await Promise.all(Array.from({ length: 101 }, () => waitingToken(system, { email })));
  const page = await searchFor(email);
  expect(page.body.match(/\/support\/mappings\/[0-9a-f]{24}/g)).toHaveLength(100);
  expect(wordsOf(page)).toContain('The newest 100 of more');
});

test('where nothing is found the page says how the text was read and what to try', async () => {
  const nobody = await searchFor('nobody@people.example');
  expect(wordsOf(nobody)).toMatch(/looked for as an e-mail address .* first sign-in/);
  expect(nobody.body).toContain('value="nobody@people.example"');
  const name = await searchFor('<b>No such</b>');
  expect(wordsOf(name)).toContain('a part of an app’s name');
  expect(name.body).not.toContain('<b>No such');
  expect(wordsOf(name)).not.toContain('lower case');
  const either = wordsOf(await searchFor('Qq7x'));
  expect(either).toContain('In the characters of a token upper and lower case count');
});

test('characters that may be an end of a token are so only where they are no part of a name', async () => {
  const { clientId } = await system.registerApp('https://named.example/callback');
  const { durable } = system.bridge.context.store;
  const name = token.token.slice(2, 8);
  await durable.updateTable('apps').set({ name }).where('client_id', '=', clientId).execute();
  expect(await leadsTo(name)).toBe(`/support/apps/${clientId}`);
  await durable.updateTable('apps').set({ name: 'Another' }).where('client_id', '=', clientId).execute();
  expect(await leadsTo(name)).toBe(`/support/mappings/${token.id}`);
});

test.each(['q7', 'q7Z', '1/q7Z', '…q7'])(
  '%s is too little of a token, and the page says so',
  async (text) => {
    const words = wordsOf(await searchFor(text));
    expect(words).toContain('give at least four of its first or last characters');
  },
);

test('nothing typed leads back to the box, and the address of an answer does so too', async () => {
  expect(await leadsTo('   ')).toBe('/support');
  expect((await sam.get(`${supportUrl()}/search`)).location).toBe('/support');
});

test('a person who is not of the staff sees neither the box nor an answer', async () => {
  const dana = await browserOf(system, DANA);
  const page = await dana.get(supportUrl());
  expect(page.status).toBe(403);
  expect(page.body).not.toContain('name="q"');
});

testInProcess('more than sixty searches in a minute are refused until the minute is over', async () => {
  const lead = await staffBrowser(system, 'lead', DANA);
  const start = await lead.get(supportUrl());
  const pages: Page[] = [];
  for (let count = 0; count < 61; count++) pages.push(await pressIn(lead, start, /^Search$/, { q: '' }));
  expect(pages.slice(0, 60).every(({ status }) => status === 303)).toBe(true);
  const last = pages.at(-1);
  expect(last?.status).toBe(429);
  expect(Number(last?.headers.get('retry-after'))).toBeGreaterThan(0);
});
