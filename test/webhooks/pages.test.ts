import { Writable } from 'node:stream';
import { sql } from 'kysely';
import { giveApp } from '../../src/domain/accounts/give-app.ts';
import { registerApp } from '../../src/domain/apps/register-app.ts';
import { DAY } from '../../src/shared/lifetimes.ts';
import { browserOf, DANA, historyOf, pressIn, SAM, wordsOf } from '../owners/support/people.ts';
import { staffBrowser } from '../staff/support/staff-browser.ts';
import type { CookieWalker, Page } from '../support/callers/cookie-walker.ts';
import { withStatus } from './support/receiver.ts';
import { openWebhookGround, rightSignatures, type WebhookGround } from './support/webhook-ground.ts';

/** The pages of webhooks, over HTTP, up to a real receiver. */

let log = '';
const stream = new Writable({
  write(chunk: Buffer, _encoding, done) {
    log += chunk.toString();
    done();
  },
});

let ground: WebhookGround;
let dana: CookieWalker;
let home: string;
let clientId: string;

beforeAll(async () => {
  ground = await openWebhookGround({ log: { level: 'debug', stream } });
  dana = await browserOf(ground.system, DANA);
  const asked = {
    name: 'Night poster',
    callbacks: ['https://old-app.example/cb'],
    contacts: [],
    actor: 'test',
    requestId: null,
  };
  const app = await registerApp(ground.system.bridge.context, { ...asked, owner: DANA.accountId });
  clientId = app?.clientId ?? '';
  home = `${ground.system.bridgeUrl}/apps/${clientId}/webhooks`;
});

afterAll(() => ground.stop());

beforeEach(() => ground.forget());

/** Adds a webhook by the form. */
async function addBy(browser: CookieWalker, list: string, fields: Record<string, string>): Promise<Page> {
  return pressIn(browser, await browser.get(list), /^Add$/, fields);
}

const secretIn = ({ body }: Page) => /whsec_[A-Za-z0-9+/=]+/.exec(body.replaceAll('&#x3D;', '='))?.[0] ?? '';

const nextOf = (browser: CookieWalker, { body }: Page) =>
  browser.get(new URL(/href="([^"]+webhooks\/[0-9a-f]{24})"/.exec(body)?.[1] ?? '', home).href);

async function added(): Promise<{ secret: string; page: Page }> {
  const answer = await addBy(dana, home, { url: ground.urlOf('/in'), 'token.stopped': 'on' });
  return { secret: secretIn(answer), page: await nextOf(dana, answer) };
}

async function pressed(page: Page, button: RegExp): Promise<Page> {
  const answer = await pressIn(dana, page, button);
  return answer.location === undefined ? answer : dana.get(new URL(answer.location, home).href);
}

test('an owner adds a webhook, sends a test and reads that it arrived', async () => {
  const { secret, page } = await added();
  expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
  expect(page.body).not.toContain(secret);
  expect(wordsOf(page)).toContain('No message was sent yet.');
  const sent = await pressed(page, /Send a test/);
  expect(wordsOf(sent)).toContain('A test leaves within seconds.');
  await ground.deliver();
  expect(rightSignatures(ground.receiver.received[0] as never, secret)).toBe(1);
  expect(wordsOf(await dana.get(page.url))).toMatch(/Test msg_[0-9a-f]{24} .*Delivered/);
});

test('a second test waits for the first', async () => {
  const { page } = await added();
  await pressed(page, /Send a test/);
  expect(wordsOf(await pressed(page, /Send a test/))).toContain('A test is on its way already.');
});

test('a test that failed is sent again at once, whatever its next attempt', async () => {
  const { page } = await added();
  ground.receiver.answer = withStatus(503);
  await pressed(page, /Send a test/);
  await ground.deliver();
  ground.receiver.answer = withStatus(200);
  await ground.deliver();
  expect(wordsOf(await dana.get(page.url))).toContain('0 delivered, 1 on its way, 0 given up');
  expect(wordsOf(await pressed(page, /Send a test/))).not.toContain('on its way already');
  await ground.deliver();
  expect(wordsOf(await dana.get(page.url))).toContain('1 delivered, 0 on their way, 0 given up');
});

const listWords = async () => wordsOf(await dana.get(home));

test('the list says which server takes no messages', async () => {
  await added();
  expect(await listWords()).not.toContain('Does not take messages');
  const { durable } = ground.system.bridge.context.store;
  await durable.updateTable('webhooks').set({ failures: 1 }).where('client_id', '=', clientId).execute();
  expect(await listWords()).toContain('Does not take messages');
  await durable.updateTable('webhooks').set({ failures: 0 }).where('client_id', '=', clientId).execute();
});

test('what was given up is listed, and arrives when it is sent again', async () => {
  const { page } = await added();
  ground.receiver.answer = withStatus(410);
  await pressed(page, /Send a test/);
  await ground.deliver();
  const given = await dana.get(page.url);
  expect(wordsOf(given)).toMatch(/Given up These messages did not arrive.*the answer was no success \(410\)/);
  ground.receiver.answer = withStatus(200);
  expect(wordsOf(await pressed(given, /Send again/))).toContain('The message leaves within seconds.');
  await ground.deliver();
  expect(wordsOf(await dana.get(page.url))).toContain('1 delivered, 0 on their way, 0 given up');
  expect(wordsOf(await pressed(given, /Send again/))).toContain('Nothing was sent');
});

test('a new secret is shown once, and the former one signs for a day', async () => {
  const { secret: former, page } = await added();
  const answer = await pressed(page, /Make a new secret/);
  const secret = secretIn(answer);
  expect(secret).not.toBe(former);
  expect(wordsOf(await pressIn(dana, page, /Make a new secret/))).toContain('The secret was made already');
  await pressed(page, /Send a test/);
  await ground.deliver();
  const [message] = ground.receiver.received;
  expect(message && [secret, former].map((one) => rightSignatures(message, one))).toEqual([1, 1]);
});

test('a removed webhook is gone with its messages, and each change stands in the history', async () => {
  const { page } = await added();
  await pressed(page, /Send a test/);
  await pressed(page, /Make a new secret/);
  expect(wordsOf(await pressed(page, /^Remove$/))).toContain('Removed. No more messages go there.');
  expect((await dana.get(page.url)).status).toBe(404);
  await ground.deliver();
  expect(ground.receiver.received).toEqual([]);
  const id = page.url.slice(-24);
  const of = `hooks.example:${ground.receiver.port} (${id}): token.stopped`;
  expect((await historyOf(ground.system, clientId)).slice(-3)).toEqual([
    `webhook_added: ${of}`,
    `webhook_secret_changed: ${of}`,
    `webhook_removed: ${of}`,
  ]);
});

test.each([
  ['no address', {}, 'Enter an address such as'],
  ['http', { url: 'http://hooks.example/' }, 'The address must begin with https://'],
  ['a query', { url: 'https://hooks.example/?key=abc' }, 'The address must hold no user'],
  ['the inside', { url: 'https://10.0.0.1/' }, 'does not lead to a server on the public internet'],
])('%s is refused in words, and nothing is added', async (_what, fields, words) => {
  const answer = await addBy(dana, home, { url: '', ...fields, 'token.stopped': 'on' });
  expect(answer.status).toBe(422);
  expect(wordsOf(answer)).toContain(words);
  expect(
    await ground.system.bridge.context.store.durable.selectFrom('webhooks').selectAll().execute(),
  ).toEqual([]);
});

test('without an event nothing is added, and what was typed stays', async () => {
  const answer = await addBy(dana, home, { url: ground.urlOf('/kept') });
  expect(answer.status).toBe(422);
  expect(wordsOf(answer)).toContain('Choose at least one thing to be told of.');
  expect(answer.body).toContain(ground.urlOf('/kept'));
});

test('the webhook of another app is not there, whatever is done', async () => {
  const { page } = await added();
  const id = page.url.slice(-24);
  const sam = await browserOf(ground.system, SAM);
  const asked = {
    name: 'Other',
    callbacks: ['https://other.example/cb'],
    contacts: [],
    actor: 'test',
    requestId: null,
  };
  const app = await registerApp(ground.system.bridge.context, { ...asked, owner: SAM.accountId });
  const other = `${ground.system.bridgeUrl}/apps/${app?.clientId}/webhooks`;
  const own = await nextOf(
    sam,
    await addBy(sam, other, { url: ground.urlOf('/sam'), 'token.stopped': 'on' }),
  );
  expect((await sam.get(`${other}/${id}`)).status).toBe(404);
  const ownId = own.url.slice(-24);
  const forged = { ...own, body: own.body.replaceAll(ownId, id) };
  for (const button of [/Send a test/, /Make a new secret/, /^Remove$/])
    expect((await pressIn(sam, forged, button)).status).toBe(404);
  const { durable } = ground.system.bridge.context.store;
  const left = await durable.selectFrom('webhooks').select('id').execute();
  expect(left.map((row) => row.id).toSorted()).toEqual([id, ownId].toSorted());
});

test('no secret stands in the database, the history or the log', async () => {
  const { secret, page } = await added();
  const other = secretIn(await pressed(page, /Make a new secret/));
  await pressed(page, /Send a test/);
  await ground.deliver();
  const { durable } = ground.system.bridge.context.store;
  const tables = ['webhooks', 'webhook_secrets', 'webhook_deliveries', 'events'];
  const read = await Promise.all(
    tables.map((table) => sql`select * from ${sql.table(table)}`.execute(durable)),
  );
  const all = JSON.stringify(read.map(({ rows }) => rows)) + log;
  for (const one of [secret, other]) {
    expect(all).not.toContain(one);
    expect(all).not.toContain(one.slice('whsec_'.length));
  }
  expect(all).not.toMatch(/whsec_/);
});

test('a webhook that an owner was adding while the app was given away is not added', async () => {
  const { context } = ground.system.bridge;
  const origin = { actor: 'command', requestId: null };
  const give = (to: string) => giveApp(context, { clientId, to, reason: 'for the test', ...origin });
  await browserOf(ground.system, SAM);
  let gift: ReturnType<typeof give> | undefined;
  ground.names.names['slow.example'] = async () => {
    gift ??= give(SAM.accountId);
    await gift;
    return ['127.0.0.1'];
  };
  const late = await addBy(dana, home, { url: ground.urlOf('/in', 'slow.example'), 'token.stopped': 'on' });
  expect(await gift).toMatchObject({ accountId: SAM.accountId });
  expect([late.status, wordsOf(late)]).toEqual([404, expect.stringContaining('no such app of yours')]);
  expect(await context.store.durable.selectFrom('webhooks').selectAll().execute()).toEqual([]);
  await give(DANA.accountId);
});

// The last one: it lets a day pass, and sessions end.
test('a lead of support has the counts of the desks sent', async () => {
  const lead = await staffBrowser(ground.system, 'lead');
  const desks = await lead.get(`${ground.system.bridgeUrl}/support/desks`);
  expect(desks.body).toContain('href="/support/webhooks"');
  const list = `${ground.system.bridgeUrl}/support/webhooks`;
  await addBy(lead, list, { url: ground.urlOf('/desks'), 'queues.daily': 'on' });
  await ground.tell();
  ground.clock.advance(DAY);
  await ground.tell();
  await ground.deliver();
  expect(ground.messages()).toMatchObject([{ type: 'queues.daily' }]);
  ground.clock.advance(DAY);
  await ground.tell();
  await ground.deliver();
  expect(ground.messages()).toHaveLength(2);
});
