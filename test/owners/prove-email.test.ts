import { EventEmitter, once } from 'node:events';
import { DAY, MINUTE } from '../../src/shared/lifetimes.ts';
import { keyIdOf } from '../../src/shared/secrets.ts';
import { findKeyUsage } from '../../src/store/keys/key-usage.ts';
import { CookieWalker } from '../support/callers/cookie-walker.ts';
import { scrape, sumOf } from '../metrics/support/scrape.ts';
import { issueToken, read } from '../support/callers/legacy-calls.ts';
import { registerLegacyApp } from '../support/bridge/register-app.ts';
import { SettableClock } from '../support/bridge/settable-clock.ts';
import { type SmtpDoor, startSmtpServer } from '../support/servers/smtp-server.ts';
import { startSystem, type System } from '../support/bridge/system.ts';
import {
  browserOf,
  DANA,
  historyOf,
  mappingOf,
  pressIn,
  SAM,
  signIn,
  waitingToken,
  wordsOf,
} from './support/people.ts';

/** What is known by an e-mail address alone becomes an account's by a mailed link (docs/decisions/0017). */

let system: System;
let smtp: SmtpDoor;
let dana: CookieWalker;
const clock = new SettableClock();

const FROM = 'no-reply@bridge.example';
const start = (env: Record<string, string> = {}) =>
  startSystem({ clock, env: { SMTP_URL: `smtp://127.0.0.1:${smtp.port}`, MAIL_FROM: FROM, ...env } });

beforeAll(async () => {
  clock.run();
  smtp = await startSmtpServer();
  system = await start();
});

function later(ms: number): void {
  clock.advance(ms);
  clock.run();
}

// Beyond the brake of the test before.
beforeEach(async () => {
  later(61 * MINUTE);
  dana = await browserOf(system);
});

afterAll(async () => {
  await system.stop();
  await smtp.close();
});

const apps = () => `${system.bridgeUrl}/apps`;
const linkIn = (text: string) => /http\S+\/apps\/prove-email\/[\w-]{43}/.exec(text)?.[0] ?? '';

/** Asks for the mail on the page of apps; answers the link in it. */
async function askForLink(browser = dana): Promise<string> {
  const page = await browser.follow(await pressIn(browser, await browser.get(apps()), /Send me the link/));
  expect(wordsOf(page)).toContain('A mail with a link is on its way to you.');
  return linkIn(smtp.mailTo(DANA.login).text);
}

test('a key that a mailed link is known by is not dropped while the link works', async () => {
  await waitingToken(system, { email: DANA.login });
  await askForLink();
  const { store } = system.bridge.context;
  const row = await store.durable.selectFrom('email_proofs').select('token_digest').executeTakeFirstOrThrow();
  const usage = () =>
    findKeyUsage(store.durable, {
      purpose: 'digest',
      id: keyIdOf(row.token_digest),
      now: clock.now(),
      store,
    });
  expect(await usage()).toContainEqual({ what: 'mailed links', count: 1 });
  later(DAY);
  expect(await usage()).not.toContainEqual(expect.objectContaining({ what: 'mailed links' }));
  await store.durable.deleteFrom('mappings').where('account_email', '=', DANA.login).execute();
});

test('nothing waits for most people, and nothing is said of it', async () => {
  expect(wordsOf(await dana.get(apps()))).not.toMatch(/waits? under your e-mail/i);
});

test('the mailed link gives tokens and apps to the account once, and adopts at once what a grant serves', async () => {
  const issued = await issueToken(system);
  const owned = await registerLegacyApp(
    system.bridge,
    'https://owned.example/cb',
    ' Demo@Grantbridge.Example'.trim(),
  );
  const tokens = [
    await waitingToken(system, { email: DANA.login }),
    await waitingToken(system, { app: owned, email: DANA.login }),
    await waitingToken(system, { email: SAM.login }),
    await waitingToken(system, { email: DANA.login, accountId: SAM.accountId }),
  ];
  await pairIds();
  const words = wordsOf(await dana.get(apps()));
  expect(words).toContain('Something waits under your e-mail address');
  expect(words).not.toMatch(/\d+ tokens/);
  const link = await askForLink();
  expect(wordsOf(await new CookieWalker().get(link))).toContain('Sign in first');
  await fetch(link, { method: 'HEAD' });
  const page = await dana.get(link);
  expect(wordsOf(await dana.get(link))).toContain('Is this e-mail address yours?');
  expect(await Promise.all(tokens.map(async ({ id }) => (await mappingOf(system, id)).accountId))).toEqual([
    null,
    null,
    null,
    SAM.accountId,
  ]);

  const shown = await dana.follow(await pressIn(dana, page, /Yes/));
  expect(wordsOf(shown)).toContain('What waited under your e-mail address is yours now.');
  expect(wordsOf(shown)).not.toMatch(/waits? under your e-mail/i);
  expect(shown.body).toContain(`href="/apps/${owned.clientId}"`);
  const rows = await Promise.all(tokens.map(({ id }) => mappingOf(system, id)));
  expect(rows.map(({ accountId, state }) => ({ accountId, state }))).toEqual([
    { accountId: DANA.accountId, state: 'active' },
    { accountId: DANA.accountId, state: 'unmapped' },
    { accountId: null, state: 'unmapped' },
    { accountId: SAM.accountId, state: 'unmapped' },
  ]);
  for (const token of [issued, tokens[0]?.token ?? ''])
    expect((await read(system, '/1/user.json', token)).status).toBe(200);
  expect(await historyOf(system, owned.clientId)).toEqual([
    'app_registered: registration',
    'token_issued: the owner token of a registration',
    'account_pinned: a link that was mailed to the address',
    'account_pinned: a link that was mailed to the address',
    'account_pinned: a link that was mailed to the address',
  ]);
  expect(await pairedIds()).toEqual([DANA.accountId, null]);

  const again = await dana.get(link);
  expect([again.status, wordsOf(again)]).toEqual([403, expect.stringContaining('It was used already')]);
});

/** Two ids of the older generation under one address: only one of them can be the account's. */
async function pairIds(): Promise<void> {
  const { durable } = system.bridge.context.store;
  const pair = { kind: 'account' as const, email: DANA.login, source: 'imported' as const, created_at: 1 };
  await durable
    .insertInto('id_pairs')
    .values([
      { ...pair, legacy_id: 'old-1' },
      { ...pair, legacy_id: 'old-2' },
    ])
    .execute();
}

async function pairedIds(): Promise<Array<string | null>> {
  const { durable } = system.bridge.context.store;
  const rows = await durable.selectFrom('id_pairs').select('modern_id').orderBy('legacy_id').execute();
  return rows.map((row) => row.modern_id);
}

test('a token that had ended keeps the time at which it ended', async () => {
  const ids = [
    (await waitingToken(system, { email: DANA.login, state: 'revoked' })).id,
    (await waitingToken(system, { email: DANA.login })).id,
  ];
  const before = await changesOf(ids);
  later(MINUTE);
  await pressIn(dana, await dana.get(await askForLink()), /Yes/);
  const after = await changesOf(ids);
  expect(after.map(({ accountId }) => accountId)).toEqual([DANA.accountId, DANA.accountId]);
  expect(after[0]?.at).toBe(before[0]?.at);
  expect(after[1]?.at).toBeGreaterThan(before[1]?.at ?? Infinity);
});

async function changesOf(ids: string[]): Promise<Array<{ accountId: string | null; at: number }>> {
  const { durable } = system.bridge.context.store;
  const rows = durable.selectFrom('mappings').select(['id', 'account_id as accountId', 'updated_at as at']);
  const found = await rows.where('id', 'in', ids).execute();
  return found.toSorted((one, other) => ids.indexOf(one.id) - ids.indexOf(other.id));
}

test('another account can do nothing with the link, and it still works for its own', async () => {
  const { id } = await waitingToken(system, { email: DANA.login });
  const link = await askForLink();
  const sam = await browserOf(system, SAM);
  const opened = await sam.get(link);
  expect([opened.status, wordsOf(opened)]).toEqual([
    403,
    expect.stringContaining('It was asked for by another account'),
  ]);
  const field = sam.forms(await sam.get(apps()))[0]?.fields[0]?.value ?? '';
  expect((await sam.post(link, { _form: field })).status).toBe(403);
  expect((await mappingOf(system, id)).accountId).toBeNull();
  await pressIn(dana, await dana.get(link), /Yes/);
  expect((await mappingOf(system, id)).accountId).toBe(DANA.accountId);
});

test('a link is good for a day, and an invented one for nothing', async () => {
  const { id } = await waitingToken(system, { email: DANA.login });
  const link = await askForLink();
  later(DAY);
  dana = await browserOf(system);
  expect(wordsOf(await dana.get(link))).toContain('It is older than 24 hours');
  const invented = await dana.get(link.replace(/[\w-]{43}$/, 'x'.repeat(43)));
  expect([invented.status, wordsOf(invented)]).toEqual([404, expect.stringContaining('cannot be used')]);
  expect((await mappingOf(system, id)).accountId).toBeNull();
});

test('three mails an hour are enough, and the database holds no link', async () => {
  const links = [await askForLink(), await askForLink(), await askForLink()];
  expect(new Set(links).size).toBe(3);
  const before = smtp.mails.length;
  const refused = await pressIn(dana, await dana.get(apps()), /Send me the link/);
  expect([refused.status, wordsOf(refused)]).toEqual([429, expect.stringContaining('Too many mails')]);
  expect(smtp.mails.length).toBe(before);
  const { durable } = system.bridge.context.store;
  const proofs = JSON.stringify(await durable.selectFrom('email_proofs').selectAll().execute());
  for (const link of links) expect(proofs).not.toContain(link.slice(-43));
});

test('a mail that cannot be sent is said so, however often, and counts as none', async () => {
  smtp.isAway = true;
  for (let attempt = 0; attempt < 4; attempt += 1) {
    const page = await pressIn(dana, await dana.get(apps()), /Send me the link/);
    const said = [page.status, wordsOf(page)];
    expect(said).toEqual([503, expect.stringContaining('The mail could not be sent')]);
  }
  smtp.isAway = false;
});

const askAgain = async () => pressIn(dana, await dana.get(apps()), /Send me the link/);

async function countedMails(): Promise<number[]> {
  const samples = await scrape(system.bridgeUrl);
  const count = (outcome: string) => sumOf(samples, 'grantbridge_proof_mails_total', { outcome });
  return ['sent', 'refused', 'failed'].map(count);
}

test('each mail counts by what became of it', async () => {
  await waitingToken(system, { email: DANA.login });
  const before = await countedMails();
  await askForLink();
  smtp.refused.add(DANA.login);
  await askAgain();
  smtp.refused.delete(DANA.login);
  smtp.isAway = true;
  await askAgain();
  smtp.isAway = false;
  expect((await countedMails()).map((count, at) => count - (before[at] ?? 0))).toEqual([1, 1, 1]);
});

test('a mail in doubt may arrive: it is said so, its link works, and the brake counts it', async () => {
  const { id } = await waitingToken(system, { email: DANA.login });
  const silence = new EventEmitter();
  smtp.onMoment = (moment) => (moment === 'taken' ? once(silence, 'over') : undefined);
  const page = await pressIn(dana, await dana.get(apps()), /Send me the link/);
  smtp.onMoment = () => undefined;
  silence.emit('over');
  expect([page.status, wordsOf(page)]).toEqual([503, expect.stringContaining('The mail may be on its way')]);
  const link = linkIn(smtp.mailTo(DANA.login).text);
  await askForLink();
  await askForLink();
  expect((await pressIn(dana, await dana.get(apps()), /Send me the link/)).status).toBe(429);
  await pressIn(dana, await dana.get(link), /Yes/);
  expect((await mappingOf(system, id)).accountId).toBe(DANA.accountId);
}, 30_000);

test('where the modern side verifies addresses, signing in is enough', async () => {
  const trusting = await start({ TRUST_MODERN_EMAILS: 'on' });
  try {
    const tokens = [
      await waitingToken(trusting, { email: DANA.login }),
      await waitingToken(trusting, { email: SAM.login }),
    ];
    await signIn(trusting, new CookieWalker());
    const accounts = await Promise.all(
      tokens.map(async ({ id }) => (await mappingOf(trusting, id)).accountId),
    );
    expect(accounts).toEqual([DANA.accountId, null]);
    const other = await waitingToken(trusting, { email: DANA.login, accountId: SAM.accountId });
    await signIn(trusting, new CookieWalker());
    expect((await mappingOf(trusting, other.id)).accountId).toBe(SAM.accountId);
  } finally {
    await trusting.stop();
  }
});
