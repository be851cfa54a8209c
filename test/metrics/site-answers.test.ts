import { browserOf, DANA, pressIn, waitingToken, wordsOf } from '../owners/support/people.ts';
import { keyFor } from '../staff-api/support/api-client.ts';
import { staffBrowser } from '../staff/support/staff-browser.ts';
import { CookieWalker } from '../support/callers/cookie-walker.ts';
import { rawForm, sendRaw } from '../support/callers/raw-request.ts';
import { openStoreBreaker, type StoreBreaker } from '../support/database/store-breaker.ts';
import { startSystem, type System } from '../support/bridge/system.ts';
import { until } from '../support/servers/held-answer.ts';
import { type SmtpDoor, startSmtpServer } from '../support/servers/smtp-server.ts';
import { type Sample, scrape, sumOf } from './support/scrape.ts';

/** What `/metrics` tells of answers outside the old addresses, and of hand-overs. */

const SITE = 'grantbridge_site_answers_total';
let system: System;
let smtp: SmtpDoor;
/** With what the mail server refuses each recipient. */
let refusal = '';
let breaker: StoreBreaker;
let owner: CookieWalker;
let reader: CookieWalker;
let key: string;

beforeAll(async () => {
  smtp = await startSmtpServer({
    onRcptTo: (_address, _session, done) => done(Object.assign(new Error(refusal), { responseCode: 550 })),
  });
  const mails = { SMTP_URL: `smtp://127.0.0.1:${smtp.port}`, MAIL_FROM: 'no-reply@bridge.example' };
  system = await startSystem({ env: mails });
  [owner, reader] = [await browserOf(system), await staffBrowser(system, 'reader')];
  ({ key } = await keyFor(system, 'reader'));
  breaker = await openStoreBreaker(system.bridge.database);
});

afterAll(async () => {
  await breaker.close();
  await system.stop();
  await smtp.close();
});

/** What work adds to a count: an answer is counted just after it has left. */
async function addedTo(name: string, labels: Sample['labels'], work: () => Promise<unknown>) {
  const now = async () => sumOf(await scrape(system.bridgeUrl), name, labels);
  const before = await now();
  await work();
  await until(async () => (await now()) > before);
  return (await now()) - before;
}

const get = (path: string, headers = {}) => sendRaw(system.bridgeUrl, { path, headers });
const open = (browser: CookieWalker, path: string) => browser.get(system.bridgeUrl + path);

/** A call of an old address that is counted by the time at which a page is opened. */
async function callThenOpen(): Promise<void> {
  const refused = { outcome: 'refused' };
  expect(await addedTo('grantbridge_calls_total', refused, () => get('/1/nowhere.json'))).toBe(1);
  await get('/nowhere');
}

/** A page or call of a part, and a table that it needs. */
const PARTS: ReadonlyArray<readonly [part: string, table: string, ask: () => Promise<unknown>]> = [
  ['owners', 'mappings', () => open(owner, '/apps')],
  ['support', 'staff', () => open(reader, '/support')],
  ['sign_in', 'authorization_requests', () => open(new CookieWalker(), `/approve/${'0'.repeat(24)}`)],
  ['staff_api', 'api_keys', () => get('/api/v1/key', { authorization: `Bearer ${key}` })],
];

test.each(PARTS)('an answer of 500 and above counts as failed, of %s', async (part, table, ask) => {
  await breaker.whileMissing(table, async () => {
    expect(await addedTo(SITE, { part, outcome: 'failed' }, ask)).toBe(1);
  });
});

test('answers and refusals count too, and neither old calls nor a scrape do', async () => {
  expect(await addedTo(SITE, { part: 'other', outcome: 'answered' }, () => get('/lifecycle.json'))).toBe(1);
  expect(await addedTo(SITE, { outcome: 'refused' }, callThenOpen)).toBe(1);
});

test.each([
  ['5.1.1 No such user here', 422, 'takes no mail', 'refused'],
  ['5.7.1 Relaying denied', 503, 'could not be sent', 'failed'],
])('a mailbox that takes no mail is no failure of the site: %s', async (words, status, title, outcome) => {
  refusal = words;
  const { id } = await waitingToken(system, { email: DANA.login });
  const page = await open(owner, '/apps');
  const ask = async () => {
    const answer = await pressIn(owner, page, /Send me the link/);
    expect([answer.status, wordsOf(answer)]).toEqual([status, expect.stringContaining(title)]);
    expect(answer.body).not.toContain(words);
  };
  expect(await addedTo(SITE, { part: 'owners', outcome }, ask)).toBe(1);
  await system.bridge.context.store.durable.deleteFrom('mappings').where('id', '=', id).execute();
});

test('nothing that a caller sends becomes a label', async () => {
  const secret = 'SecretOfSomebody4711';
  const paths = [
    `/${secret}/apps`,
    `/apps/${secret}`,
    `/api%2f${secret}`,
    '/__proto__',
    '/constructor/support',
  ];
  for (const path of paths) expect(await addedTo(SITE, {}, () => get(`${path}?x=${secret}`))).toBe(1);
  const samples = await scrape(system.bridgeUrl);
  const parts = samples.filter(({ name }) => name === SITE).map(({ labels }) => labels['part']);
  expect(new Set(parts)).toEqual(new Set(['owners', 'support', 'sign_in', 'staff_api', 'leaks', 'other']));
});

test('a hand-over that fails counts among the old calls, under its own name', async () => {
  const form = new URLSearchParams({
    grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
    subject_token: 'a token',
    client_id: 'planner',
    client_secret: 'hush-hush',
  });
  const handOver = () =>
    sendRaw(system.bridgeUrl, { method: 'POST', path: '/oauth2/exchange', ...rawForm(form.toString()) });
  await breaker.whileMissing('modern_clients', async () => {
    const failed = { endpoint: 'handOver', outcome: 'failed', answered_by: 'bridge' };
    expect(await addedTo('grantbridge_calls_total', failed, handOver)).toBe(1);
  });
});

test('a stranger who is sent to the sign-in counts as refused, so that no crowd of them hides failures', async () => {
  for (const [part, path] of [
    ['owners', '/apps'],
    ['support', '/support'],
  ] as const) {
    const ask = async () => expect((await open(new CookieWalker(), path)).status).toBe(303);
    expect(await addedTo(SITE, { part, outcome: 'refused' }, ask)).toBe(1);
  }
});
