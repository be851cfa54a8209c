import { newHexId } from '../../src/shared/ids.ts';
import { endGrant } from '../../src/domain/grants/end-grant.ts';
import { recordEvents } from '../../src/domain/history/record-event.ts';
import { revokeToken } from '../../src/domain/tokens/revoke-token.ts';
import { dayOf } from '../../src/shared/moments.ts';
import { findGrant } from '../../src/store/grants/grants.ts';
import { countCallsSince } from '../../src/store/usage/known-calls.ts';
import { addUsage } from '../../src/store/usage/usage.ts';
import type { CookieWalker, Page } from '../support/callers/cookie-walker.ts';
import { issueToken } from '../support/callers/legacy-calls.ts';
import { startSystem, type System } from '../support/bridge/system.ts';
import { browserOf, DANA, SAM, waitingToken, wordsOf } from '../owners/support/people.ts';
import { act } from './support/actions.ts';
import { staffBrowser } from './support/staff-browser.ts';

/** The pages of support for one token, one account and one app. */

let system: System;
let sam: CookieWalker;

const at = (path: string) => sam.get(`${system.bridgeUrl}/support/${path}`);
const db = () => system.bridge.context.store.durable;

async function mappingIdOf(token: string): Promise<string> {
  const digests = system.bridge.context.vault.digests(token);
  const row = await db()
    .selectFrom('mappings')
    .select('id')
    .where('token_digest', 'in', digests)
    .executeTakeFirstOrThrow();
  return row.id;
}

/** A token that works, of a new app. */
async function working() {
  const app = await system.registerApp('https://page.example/callback');
  const token = await issueToken(system, { app });
  const id = await mappingIdOf(token);
  const { grant_id: grantId } = await db()
    .selectFrom('mappings')
    .select('grant_id')
    .where('id', '=', id)
    .executeTakeFirstOrThrow();
  return { app, token, id, grantId: grantId ?? '' };
}

/** The entries of a timeline, the newest first. */
const entriesOf = ({ body }: Page) =>
  [...body.matchAll(/<p><strong>([^<]+)<\/strong>/g)].map(([, words]) => words ?? '').slice(1);

beforeAll(async () => {
  system = await startSystem();
  await countCallsSince(system.bridge.context.store, 0);
  await browserOf(system, DANA);
  sam = await staffBrowser(system, 'reader');
});

afterAll(() => system.stop());

test('a token that works is shown with its app, account, grant, calls and history, and no secret', async () => {
  const { app, token, id, grantId } = await working();
  const now = system.bridge.context.clock.now();
  const call = { endpoint: '/1/user.json', carrier: 'header', user_agent: 'night-script/1.0', outcome: 'ok' };
  await addUsage(system.bridge.context.store, [
    { mapping_id: id, day: dayOf(now), ...call, calls: 7, last_at: now },
  ]);
  const page = await at(`mappings/${id}`);
  expect(page.status).toBe(200);
  const words = wordsOf(page);
  expect(words).toContain('It works: it is connected to the new API.');
  expect(words).toContain(`1/${token.slice(2, 6)}…${token.slice(-4)}`);
  for (const part of [
    app.clientId,
    DANA.login,
    DANA.accountId,
    grantId,
    '/1/user.json',
    'night-script/1.0',
    'Version 1',
  ])
    expect(words).toContain(part);
  expect(page.body).toContain(`href="/support/apps/${app.clientId}"`);
  expect(page.body).toContain(`href="/support/accounts/${DANA.accountId}"`);
  expect(entriesOf(page)).toEqual(['The token was issued', 'The account holder consented: a new connection']);
  expect(words).toContain('by the app');
  const grant = await findGrant(db(), grantId);
  const { access_token_sealed: access, refresh_token_sealed: refresh } = grant ?? {};
  for (const secret of [token.slice(2), access, refresh]) expect(page.body).not.toContain(secret);
});

test('a grant in doubt is told of with the times on which its end depends', async () => {
  const { id, grantId } = await working();
  const now = system.bridge.context.clock.now();
  await db()
    .updateTable('grants')
    .set({ state: 'in_doubt', doubt_since: now - 60_000, presented_at: now - 60_000 })
    .where('id', '=', grantId)
    .execute();
  const words = wordsOf(await at(`mappings/${id}`));
  expect(words).toContain('It works for now, but its renewal got no whole answer');
  expect(words).toMatch(/In doubt since .* Access token expires .* Next attempt not before/);
});

test('a token whose grant died says why, and what happened stands in its order with who and why', async () => {
  const { id, grantId } = await working();
  const grant = await findGrant(db(), grantId);
  if (!grant) throw new Error('no grant');
  await endGrant(system.bridge.context, grant, 'refused');
  const page = await at(`mappings/${id}`);
  expect(wordsOf(page)).toContain('It has stopped working: the new API refused to renew the connection');
  expect(wordsOf(page)).toContain('Make a link to connect');
  expect(entriesOf(page)).toEqual([
    'The token stopped working',
    'The connection ended',
    'The token was issued',
    'The account holder consented: a new connection',
  ]);
  // At the grant, and in the history of both.
  expect(wordsOf(page).match(/the new API refused to renew the connection, most often/g)).toHaveLength(4);
  expect(wordsOf(page)).toContain('by grantbridge itself');
});

test('a revoked token shows the reason, whatever characters it has, and who gave it', async () => {
  const { id } = await waitingToken(system, { accountId: DANA.accountId });
  const reason = 'leaked in <b>a log</b> & "more"';
  const actor = `account:${SAM.accountId}`;
  await revokeToken(system.bridge.context, { mappingId: id, reason, actor, requestId: null });
  const page = await at(`mappings/${id}`);
  expect(page.body).not.toContain('<b>a log');
  expect(page.body).toContain('leaked in &lt;b&gt;a log');
  expect(page.body).toContain(`href="/support/accounts/${SAM.accountId}"`);
});

test('a token that waits for an e-mail address says whose it may be and how to go on', async () => {
  const { id } = await waitingToken(system, { email: 'late@people.example' });
  const words = wordsOf(await at(`mappings/${id}`));
  expect(words).toContain('late@people.example (not proven)');
  // Without an old API nobody answers it, as the owner of its app reads too.
  expect(words).toMatch(/Token 1\/\S+ waiting/);
  expect(words).toContain('Its holder is known by an e-mail address alone');
  expect(words).toContain('None: nobody has connected this app for the account yet.');
  expect(words).toContain('No call with this token was ever seen here.');
});

test('a long history is read page by page, none twice and none left out', async () => {
  const { id } = await waitingToken(system, { accountId: DANA.accountId });
  const { clock, vault } = system.bridge.context;
  const changes = Array.from({ length: 120 }, (_, place) => ({
    at: clock.now(),
    actor: 'command:ops',
    action: 'token_changed',
    reason: `entry number ${place}.`,
    mappingId: id,
  }));
  await recordEvents({ vault }, db(), changes);
  const numbers: string[] = [];
  let address: string | undefined = `/support/mappings/${id}`;
  while (address !== undefined) {
    const page: Page = await sam.get(`${system.bridgeUrl}${address}`);
    numbers.push(...[...page.body.matchAll(/entry number (\d+)\./g)].map(([, number]) => number ?? ''));
    address = /href="([^"]+before=[^"]+)"/.exec(page.body)?.[1];
  }
  expect(numbers).toEqual(Array.from({ length: 120 }, (_, place) => String(119 - place)));
});

test('reasons that are kept for programs are told in words', async () => {
  const { clientId } = await system.registerApp('https://kept.example/callback');
  const { id: mappingId } = await waitingToken(system, { accountId: DANA.accountId });
  const { clock, vault } = system.bridge.context;
  const by = { at: clock.now(), actor: `account:${DANA.accountId}` };
  const secretId = newHexId();
  await recordEvents({ vault }, db(), [
    { ...by, clientId, action: 'rehearsal_started', reason: 'the sunset, until 2026-12-01T10:00:00.123Z' },
    { ...by, clientId, action: 'secret_added', reason: `rotation: ${secretId}` },
    { ...by, mappingId, action: 'code_replayed', reason: 'deny' },
    { ...by, mappingId, action: 'account_changed', reason: 'the modern side says so' },
  ]);
  const words = wordsOf(await at(`apps/${clientId}`));
  expect(words).toContain('– the sunset, until 1 Dec 2026, 10:00 UTC');
  expect(words).toContain('A secret was added');
  expect(words).not.toContain(secretId);
  const ofToken = wordsOf(await at(`mappings/${mappingId}`));
  expect(ofToken).toContain('Its code was used a second time – the token stays');
  expect(ofToken).toContain('– the new API says so');
});

test('mails to the person about the app stand there with what became of them', async () => {
  const { id } = await waitingToken(system, { accountId: DANA.accountId });
  const now = system.bridge.context.clock.now();
  const mail = { id: newHexId(), person: `account:${DANA.accountId}`, day: '2026-11-20', replaces: '' };
  const failure = 'no address is known';
  await db()
    .insertInto('mails')
    .values({
      ...mail,
      state: 'undeliverable',
      failure,
      attempts: 1,
      next_at: now,
      created_at: now,
      ended_at: now,
    })
    .execute();
  await db()
    .insertInto('reminders')
    .values({
      id: newHexId(),
      mail_id: mail.id,
      person: mail.person,
      client_id: system.app.clientId,
      role: 'holder',
      stage: '30',
      planned_for: 'retirement:2026-12-20',
      created_at: now,
    })
    .execute();
  for (const path of [`mappings/${id}`, `accounts/${DANA.accountId}`]) {
    const page = await at(path);
    expect(wordsOf(page)).toMatch(/30-day reminder of the retirement on 2026-12-20.*reached nobody/);
    expect(page.body).not.toContain(`/support/mails/${mail.id}/settle`);
    expect(wordsOf(page)).toContain('Mark as dealt with (takes “agent”)');
  }
  await staffBrowser(system, 'agent', SAM);
  const settle = `/support/mails/${mail.id}/settle`;
  expect((await at(`mappings/${id}`)).body).toContain(`href="${settle}"`);
  await act(sam, `${system.bridgeUrl}${settle}`, { reason: 'he was called' });
  expect(wordsOf(await at(`mappings/${id}`))).toMatch(
    /Dealt with by support \(.*, \d+ \w+ 20\d\d, .* \)\. Why/,
  );
  await staffBrowser(system, 'reader', SAM);
});

/** A mail that was sent, with one reminder about the system's app. */
async function keepSent(person: string, stage: string) {
  const now = system.bridge.context.clock.now();
  const id = newHexId();
  const mail = { id, person, day: '2026-11-20', replaces: `again/${id}`, state: 'sent' as const };
  const times = { next_at: now, created_at: now, ended_at: now };
  await db()
    .insertInto('mails')
    .values({ ...mail, ...times, attempts: 1 })
    .execute();
  const about = { client_id: system.app.clientId, role: 'owner' as const, stage, planned_for: id };
  await db()
    .insertInto('reminders')
    .values({ id: newHexId(), mail_id: id, person, ...about, created_at: now })
    .execute();
}

test('a reminder that support sent to the owner of the app stands there too, and nothing else of theirs', async () => {
  const { id } = await waitingToken(system, { accountId: newHexId() });
  await db()
    .updateTable('apps')
    .set({ owner_account_id: DANA.accountId })
    .where('client_id', '=', system.app.clientId)
    .execute();
  await keepSent(`account:${DANA.accountId}`, 'again');
  await keepSent(`account:${DANA.accountId}`, 'died');
  await keepSent(`account:${newHexId()}`, 'again');
  const words = wordsOf(await at(`mappings/${id}`));
  expect(words.match(/sent again by support, as the app’s owner/g)).toHaveLength(1);
  expect(words).not.toContain('a connection ended');
});

test('an account shows its apps, tokens by state and browsers; an app its owner, dates, tokens and history', async () => {
  const { app, id } = await working();
  const account = wordsOf(await at(`accounts/${DANA.accountId}`));
  for (const part of [DANA.login, DANA.accountId, 'connected', 'in one browser'])
    expect(account).toContain(part);
  const page = await at(`apps/${app.clientId}`);
  const words = wordsOf(page);
  for (const part of [
    app.clientId,
    'https://page.example/callback',
    'The app was registered',
    '1 token connected',
  ])
    expect(words).toContain(part);
  expect(page.body).toContain(`/support/mappings/${id}`);
});

test('the tokens of an app are read page by page', async () => {
  const app = await system.registerApp('https://many.example/callback');
  const made = await Promise.all(Array.from({ length: 60 }, () => waitingToken(system, { app })));
  const first = await at(`apps/${app.clientId}`);
  const next = /href="\/support\/([^"#]+after=[^"#]+)#tokens"/.exec(first.body)?.[1] ?? '';
  const second = await at(next);
  const seen = [first, second].flatMap(({ body }) => body.match(/\/support\/mappings\/[0-9a-f]{24}/g) ?? []);
  expect(new Set(seen).size).toBe(61);
  for (const { id } of made) expect(seen).toContain(`/support/mappings/${id}`);
});

test.each(['mappings', 'accounts', 'apps'])('an unknown id of %s says what to do next', async (kind) => {
  for (const id of [newHexId(), "no'such", '1%2Fabcdefabcdef']) {
    const page = await at(`${kind}/${id}`);
    expect(page.status).toBe(404);
    expect(wordsOf(page)).toMatch(/earch for/);
    expect(page.body).not.toContain('abcdefabcdef');
  }
});
