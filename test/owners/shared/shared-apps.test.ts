import { ensureAccount } from '../../../src/store/accounts/accounts.ts';
import { listContactRows } from '../../../src/store/apps/shared-apps.ts';
import { newHexId } from '../../../src/shared/ids.ts';
import { MINUTE } from '../../../src/shared/lifetimes.ts';
import { registerLegacyApp, type RegisteredApp } from '../../support/bridge/register-app.ts';
import { SettableClock } from '../../support/bridge/settable-clock.ts';
import { startSystem, type System } from '../../support/bridge/system.ts';
import type { CookieWalker, Page } from '../../support/callers/cookie-walker.ts';
import { type SmtpDoor, startSmtpServer } from '../../support/servers/smtp-server.ts';
import { openEventStream } from '../support/event-stream.ts';
import { browserOf, DANA, historyOf, pressIn, SAM, waitingToken, wordsOf } from '../support/people.ts';

/** An owner gives contacts the pages of an app (docs/decisions/0035). */

let system: System;
let smtp: SmtpDoor;
let owner: CookieWalker;
let sam: CookieWalker;
let app: RegisteredApp;
const clock = new SettableClock();

beforeAll(async () => {
  clock.run();
  smtp = await startSmtpServer();
  const mail = { SMTP_URL: `smtp://127.0.0.1:${smtp.port}`, MAIL_FROM: 'no-reply@bridge.example' };
  system = await startSystem({ clock, env: mail });
});

afterAll(async () => {
  await system.stop();
  await smtp.close();
});

beforeEach(async () => {
  // Beyond the brake of mails of the test before.
  clock.advance(61 * MINUTE);
  clock.run();
  [owner, sam] = [await browserOf(system), await browserOf(system, SAM)];
  app = await registerLegacyApp(system.bridge, 'https://shared.example/cb', DANA.accountId);
});

const urlOf = (path = '') => `${system.bridgeUrl}/apps/${app.clientId}${path}`;
const open = async (browser: CookieWalker, path = '') => browser.get(urlOf(path));

async function addContact(address: string): Promise<Page> {
  return owner.follow(await pressIn(owner, await open(owner, '/contacts'), /^Add$/, { address }));
}

/** Chooses what the only contact may do. */
async function choose(access: string): Promise<Page> {
  return owner.follow(await pressIn(owner, await open(owner, '/contacts'), /^Change/, { access }));
}

const linkIn = (text: string) => /http\S+\/apps\/prove-email\/[\w-]{43}/.exec(text)?.[0] ?? '';

/** The contact asks for the mail on the own page, opens its link and says that the address is theirs. */
async function prove(browser = sam, { login } = SAM): Promise<void> {
  await pressIn(browser, await browser.get(`${system.bridgeUrl}/apps`), /Send me the link/);
  await pressIn(browser, await browser.get(linkIn(smtp.mailTo(login).text)), /Yes/);
}

/** As the owner gives it, and the contact takes it. */
async function share(access: 'read' | 'manage'): Promise<void> {
  await addContact(SAM.login);
  await choose(access);
  await prove();
}

/** Whether the first page of a person leads to the app. */
async function listsApp(browser: CookieWalker): Promise<boolean> {
  return (await browser.get(`${system.bridgeUrl}/apps`)).body.includes(`href="/apps/${app.clientId}"`);
}

const PAGES = [
  '',
  '/tokens',
  '/calls',
  '/live',
  '/move',
  '/new-calls',
  '/rehearse',
  '/modern-client',
  '/contacts',
  '/webhooks',
];

const statusesOf = async (browser: CookieWalker, pages = PAGES) =>
  Promise.all(pages.map(async (path) => (await open(browser, path)).status));

test('the contact sees the app once the address is proven by a mailed link, and not before', async () => {
  await waitingToken(system, { app, email: 'holder@people.example' });
  await addContact(SAM.login.toUpperCase());
  expect(wordsOf(await choose('read'))).toContain('Once they have shown that the address is theirs');
  expect(wordsOf(await open(owner, '/contacts'))).toContain('Has not shown yet');
  expect((await open(sam, '/contacts')).status).toBe(404);
  expect(wordsOf(await open(sam))).not.toContain('All tokens of this app');
  expect(wordsOf(await sam.get(`${system.bridgeUrl}/apps`))).toMatch(/Something waits under your e-mail/);

  await prove();
  expect(await statusesOf(sam)).toEqual(PAGES.map(() => 200));
  const home = wordsOf(await sam.get(`${system.bridgeUrl}/apps`));
  expect(home).toMatch(/shared with you Old App shared with you you may see it/);
  expect(wordsOf(await open(sam))).toMatch(/All tokens of this app 2 tokens/);
  expect(wordsOf(await open(owner, '/contacts'))).not.toContain('Has not shown yet');
  expect((await historyOf(system, app.clientId)).slice(-3)).toEqual([
    `contact_added: ${SAM.login.toUpperCase()}`,
    `access_given: read: ${SAM.login.toUpperCase()}`,
    'access_proven: read: a link that was mailed to the address',
  ]);
});

test('an account with another address gets nothing, whatever link or address it has', async () => {
  await addContact('colleague@people.example');
  await choose('manage');
  expect(wordsOf(await sam.get(`${system.bridgeUrl}/apps`))).not.toMatch(/waits under your e-mail/);
  await addContact(SAM.login);
  const link = `${system.bridgeUrl}/apps/prove-email/${'v'.repeat(43)}`;
  expect((await sam.get(link)).status).toBe(404);
  expect(await statusesOf(sam, ['/contacts', '/move', '/webhooks'])).toEqual([404, 404, 404]);
});

test('what was given is lost when the account has another address, and back with the address', async () => {
  await share('read');
  const { durable } = system.bridge.context.store;
  const moved = async (email: string) =>
    durable
      .updateTable('app_contacts')
      .set({ access_email: email })
      .where('client_id', '=', app.clientId)
      .execute();
  await moved('somebody@else.example');
  expect((await open(sam, '/contacts')).status).toBe(404);
  expect(await listsApp(sam)).toBe(false);
  await moved(SAM.login);
  expect((await open(sam, '/contacts')).status).toBe(200);
});

test('an account that has another address by now loses what was given, also where it is signed in', async () => {
  await share('read');
  await reported(SAM.accountId, 'moved@people.example');
  try {
    expect((await open(sam, '/contacts')).status).toBe(404);
    expect(await listsApp(sam)).toBe(false);
  } finally {
    await reported(SAM.accountId, SAM.login);
  }
  expect((await open(sam, '/contacts')).status).toBe(200);
});

/** What the bridge knows of an account, as the new API tells it at a sign-in elsewhere. */
async function reported(accountId: string, email: string): Promise<void> {
  const { durable } = system.bridge.context.store;
  await ensureAccount(durable, accountId, clock.now());
  await durable.updateTable('accounts').set({ email }).where('account_id', '=', accountId).execute();
}

test('an address that went to another account is proven anew by it, and the owner reads what stands', async () => {
  await share('read');
  const former = newHexId();
  const { durable } = system.bridge.context.store;
  await ensureAccount(durable, former, clock.now());
  const pinned = durable.updateTable('app_contacts').set({ account_id: former });
  await pinned.where('client_id', '=', app.clientId).execute();
  expect(wordsOf(await open(owner, '/contacts'))).toContain('has not signed in here yet');
  expect(wordsOf(await sam.get(`${system.bridgeUrl}/apps`))).not.toMatch(/Something waits under/);
  await reported(former, 'moved@people.example');
  expect(wordsOf(await open(owner, '/contacts'))).toContain('has another one now, so it sees nothing');
  expect((await open(sam)).body).not.toContain('All tokens of this app');
  expect(wordsOf(await sam.get(`${system.bridgeUrl}/apps`))).toMatch(/Something waits under your e-mail/);
  await prove();
  expect(wordsOf(await open(sam))).toMatch(/All tokens of this app/);
  expect(wordsOf(await open(owner, '/contacts'))).not.toContain('has another one now');
});

test('a session that is older than the address is asked to prove nothing, and mails nothing', async () => {
  await addContact(SAM.login);
  await choose('read');
  const home = await sam.get(`${system.bridgeUrl}/apps`);
  const mails = smtp.mails.length;
  await reported(SAM.accountId, 'moved@people.example');
  try {
    const refused = await pressIn(sam, home, /Send me the link/);
    expect([refused.status, wordsOf(refused)]).toEqual([
      403,
      expect.stringContaining('another e-mail address now'),
    ]);
    expect(smtp.mails).toHaveLength(mails);
    expect(wordsOf(await sam.get(`${system.bridgeUrl}/apps`))).not.toMatch(/Something waits under/);
  } finally {
    await reported(SAM.accountId, SAM.login);
  }
});

test('who may see the app changes nothing, and finds no form that would', async () => {
  await share('read');
  for (const path of PAGES) {
    const page = await open(sam, path);
    const sent = sam.forms(page).map(({ action }) => action.replace(urlOf(), ''));
    const own = ['/connect', '/tokens'];
    expect([path, sent.filter((action) => action.startsWith('/') && !own.includes(action))]).toEqual([
      path,
      [],
    ]);
  }
  expect((await open(sam, '/secrets')).status).toBe(403);
});

test('the path of a webhook is shown to who may change the app, and its host alone to who may see it', async () => {
  const [path, id] = ['/services/T0/B0/a-secret-in-the-path', newHexId()];
  const webhook = {
    id,
    kind: 'app' as const,
    client_id: app.clientId,
    url: `https://hooks.example${path}`,
    events: 'token.stopped',
    made_by: 'test',
    created_at: Date.now(),
  };
  await system.bridge.context.store.durable.insertInto('webhooks').values(webhook).execute();
  await share('read');
  const shownTo = async (browser: CookieWalker) =>
    Promise.all(
      ['/webhooks', `/webhooks/${id}`].map(async (page) => {
        const { status, body } = await open(browser, page);
        return [status, body.includes('hooks.example'), body.includes('a-secret-in-the-path')];
      }),
    );
  expect(await shownTo(sam)).toEqual([
    [200, true, false],
    [200, true, false],
  ]);
  await choose('manage');
  for (const browser of [owner, sam])
    expect(await shownTo(browser)).toEqual([
      [200, true, true],
      [200, true, true],
    ]);
});

test('who may manage it rehearses and adds contacts, and gives nobody the app', async () => {
  await share('manage');
  const page = await open(sam, '/contacts');
  expect(page.body).not.toContain('/contacts/access');
  const added = await sam.follow(await pressIn(sam, page, /^Add$/, { address: 'two@people.example' }));
  expect(wordsOf(added)).toContain('two@people.example');
  const refused = await pressIn(sam, added, /^Remove/, { address: SAM.login });
  expect([refused.status, wordsOf(refused)]).toEqual([403, expect.stringContaining('only the owner')]);
  const kept = await listContactRows(system.bridge.context.store.durable, app.clientId);
  expect(kept.map(({ address, access }) => ({ address, access }))).toEqual([
    { address: SAM.login, access: 'manage' },
    { address: 'two@people.example', access: null },
  ]);
  await sam.follow(await pressIn(sam, added, /^Remove/, { address: 'two@people.example' }));
  expect((await historyOf(system, app.clientId)).at(-1)).toBe('contact_removed: two@people.example');
  expect((await open(sam, '/secrets')).status).toBe(403);
});

test('what is taken away is gone at the next request, and has to be proven anew', async () => {
  await share('manage');
  expect((await open(sam, '/contacts')).status).toBe(200);
  await choose('none');
  expect(await statusesOf(sam, ['/contacts', '/move', '/live', '/tokens'])).toEqual([404, 404, 404, 200]);
  expect(wordsOf(await open(sam, '/tokens'))).not.toContain('Every token');
  expect(await listsApp(sam)).toBe(false);
  expect((await historyOf(system, app.clientId)).at(-1)).toBe(`access_taken: ${SAM.login}`);
  await choose('read');
  expect((await open(sam, '/contacts')).status).toBe(404);
});

test('with the contact its access goes too', async () => {
  await share('read');
  await owner.follow(await pressIn(owner, await open(owner, '/contacts'), /^Remove/));
  expect((await open(sam, '/contacts')).status).toBe(404);
  expect((await historyOf(system, app.clientId)).slice(-2)).toEqual([
    `access_taken: ${SAM.login}`,
    `contact_removed: ${SAM.login}`,
  ]);
});

test('a live page that is open ends when the app is taken away', async () => {
  await share('read');
  const page = await open(sam, '/live');
  const address = /sse-connect="([^"]+)"/.exec(page.body)?.[1]?.replaceAll('&amp;', '&') ?? '';
  const stream = await openEventStream(sam, `${system.bridgeUrl}${address}`);
  await choose('none');
  const [end] = await stream.until('end', 1);
  expect(end).toContain('not yours to see any more');
  stream.cut();
});

test('two changes of one contact at once leave one entry for each that happened', async () => {
  await addContact(SAM.login);
  const page = await open(owner, '/contacts');
  await Promise.all(Array.from({ length: 4 }, () => pressIn(owner, page, /^Change/, { access: 'read' })));
  const given = (await historyOf(system, app.clientId)).filter((line) => line.startsWith('access_given'));
  expect(given).toEqual([`access_given: read: ${SAM.login}`]);
});
