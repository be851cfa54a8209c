import { newHexId } from '../../../src/shared/ids.ts';
import { dayOf } from '../../../src/shared/moments.ts';
import { countCallsSince } from '../../../src/store/usage/known-calls.ts';
import { plan } from '../../lifecycle/support/lifecycle-rows.ts';
import { CookieWalker, type Page } from '../../support/callers/cookie-walker.ts';
import { issueToken, read } from '../../support/callers/legacy-calls.ts';
import { registerLegacyApp, type RegisteredApp } from '../../support/bridge/register-app.ts';
import { startSystem, type System } from '../../support/bridge/system.ts';
import { browserOf, DANA, historyOf, pressIn, SAM, waitingToken, wordsOf } from '../support/people.ts';

/** The pages of one app: what its owner sees of everybody's tokens and calls, and what a holder sees of the own ones. */

let system: System;
let dana: CookieWalker;
let sam: CookieWalker;
/** Owned by Dana, used by both. */
let app: RegisteredApp;

beforeAll(async () => {
  // While it is there, what waits is not refused.
  system = await startSystem({ env: { LEGACY_RATE_LIMIT: '0', LEGACY_BACKEND_URL: 'http://127.0.0.1:9' } });
  await countCallsSince(system.bridge.context.store, 0);
  [dana, sam] = [await browserOf(system), await browserOf(system, SAM)];
  const { durable } = system.bridge.context.store;
  await durable
    .updateTable('accounts')
    .set({ name: 'Sam Holder' })
    .where('account_id', '=', SAM.accountId)
    .execute();
});
afterAll(() => system.stop());

beforeEach(async () => {
  app = await registerLegacyApp(system.bridge, 'https://viewed.example/cb', DANA.accountId);
});

const open = async (browser: CookieWalker, path = '') =>
  browser.get(`${system.bridgeUrl}/apps/${app.clientId}${path}`);

/** Calls of a token, as its answers would have been counted. */
async function called(mappingId: string, calls: number, change: { endpoint?: string; days?: number } = {}) {
  const { store, clock } = system.bridge.context;
  const at = clock.now() - (change.days ?? 0) * 86_400_000;
  const row = {
    mapping_id: mappingId,
    day: new Date(at).toISOString().slice(0, 10),
    endpoint: change.endpoint ?? '/1/profiles.json',
    carrier: 'query',
    user_agent: 'nightly-cron/2.1',
    outcome: 'ok',
    calls,
    last_at: at,
  };
  await store.volatile.insertInto('usage').values(row).execute();
}

/** Every link of the tabs, and which is open. */
function tabsOf({ body }: Page): { hrefs: string[]; current: string | undefined } {
  const nav = /<nav class="tabs" aria-label="Old App">([\s\S]*?)<\/nav>/.exec(body)?.[1] ?? '';
  const hrefs = [...nav.matchAll(/href="([^"]+)"/g)].map(([, href = '']) => href);
  return { hrefs, current: /href="([^"]+)" aria-current/.exec(nav)?.[1] };
}

const OWN_TABS = [
  '',
  '/tokens',
  '/calls',
  '/move',
  '/new-calls',
  '/rehearse',
  '/secrets',
  '/modern-client',
  '/contacts',
  '/webhooks',
];

test('every page of an owned app has the tabs, with the open one marked, and one heading of the first rank', async () => {
  const home = `/apps/${app.clientId}`;
  for (const path of OWN_TABS) {
    const page = await open(dana, path);
    expect([path, page.status]).toEqual([path, 200]);
    const { hrefs, current } = tabsOf(page);
    expect(hrefs).toEqual([...OWN_TABS.slice(0, 3), '/live', ...OWN_TABS.slice(3)].map((tab) => home + tab));
    expect(current).toBe(home + path);
    expect(page.body.match(/<h1/g)).toHaveLength(1);
    expect(page.body.length).toBeLessThan(100_000);
  }
});

test('others have no tabs, and the pages for the owner alone are not there for them', async () => {
  await waitingToken(system, { app, accountId: SAM.accountId });
  for (const path of ['', '/tokens', '/calls']) {
    const page = await open(sam, path);
    expect([page.status, tabsOf(page).hrefs]).toEqual([200, []]);
  }
  for (const path of ['/move', '/contacts', '/webhooks']) expect((await open(sam, path)).status).toBe(404);
  for (const path of ['/tokens', '/calls', '/move', '/contacts', '/webhooks'])
    expect((await open(new CookieWalker(), path)).location).toMatch(/^\/sign-in\?return_to=/);
});

test('the overview shows the owner the id, the callbacks, all tokens, the next thing and the calls', async () => {
  const { id } = await waitingToken(system, { app, accountId: SAM.accountId });
  await called(id, 41);
  const page = await open(dana);
  const words = wordsOf(page);
  expect(words).toContain(app.clientId);
  expect(words).toContain('https://viewed.example/cb');
  expect(words).toMatch(/Next Connect the app to your own account: a token of yours is not connected/);
  expect(words).toMatch(/All tokens of this app 2 tokens waiting/);
  expect(words).toMatch(/41 in the last 30 days, the last one .* by nightly-cron\/2\.1/);
  expect(page.body).toContain('<svg');
  expect(words).not.toContain('Sam');
});

test('a holder sees each own token with its reason, and neither the owner’s nor what is the owner’s business', async () => {
  const mine = await waitingToken(system, { app, accountId: SAM.accountId });
  const other = await waitingToken(system, { app, accountId: DANA.accountId });
  await called(other.id, 7531);
  const words = wordsOf(await open(sam));
  expect(words).toMatch(/Your tokens of this app 1 token waiting/);
  expect(words).toContain(`1/${mine.token.slice(2, 6)}…${mine.token.slice(-4)}`);
  expect(words).toContain('You have not connected the app to the new API yet.');
  expect(words).not.toContain(`…${other.token.slice(-4)}`);
  expect(words).not.toMatch(/7,531|viewed\.example|All tokens of this app/);
  expect(wordsOf(await open(sam, '/tokens'))).not.toContain(`…${other.token.slice(-4)}`);
  expect(wordsOf(await open(sam, '/calls'))).toContain('No call in the last 30 days');
});

test('an owner reads of every token whose it is, where it comes from, how it is and when it was used, and no address', async () => {
  const { id, token } = await waitingToken(system, { app, accountId: SAM.accountId });
  const expected = await waitingToken(system, { app, email: 'holder@elsewhere.example' });
  await called(id, 12);
  const page = await open(dana, '/tokens');
  const words = wordsOf(page);
  const hint = `1/${token.slice(2, 6)}…${token.slice(-4)}`;
  expect(words).toMatch(new RegExp(`${hint} Sam Holder imported waiting reason [A-D] .* UTC 12 `));
  expect(words).toMatch(/you from the registration waiting reason [A-D] never seen 0/);
  expect(words).toMatch(/not known yet imported waiting reason [A-D] /);
  for (const reason of ['is known by a mail address alone', 'has not connected the app'])
    expect(words).toMatch(new RegExp(`Reason [A-D]: waiting Its holder ${reason}`));
  expect(words).toContain('waiting It was made for you');
  expect(page.body).not.toContain('holder@elsewhere.example');
  expect(page.body).not.toContain(SAM.login);
  for (const whole of [token, expected.token, app.ownerToken])
    expect(page.body).not.toContain(whole.slice(2));
});

test('tokens come fifty on a page, each once', async () => {
  for (let count = 0; count < 60; count++) await waitingToken(system, { app, accountId: SAM.accountId });
  const first = await open(dana, '/tokens');
  const next = /\/tokens\?after=[0-9a-f_]{26,}/.exec(first.body)?.[0] ?? '';
  const second = await open(dana, next);
  const hints = [first, second].map(({ body }) =>
    [...body.matchAll(/1\/\w{4}…\w{4}/g)].map(([hint]) => hint),
  );
  expect(hints.map(({ length }) => length)).toEqual([50, 11]);
  expect(new Set(hints.flat()).size).toBe(61);
  expect(second.body).not.toContain('Next page');
  const back = /\/tokens\?back=[0-9a-f_]{26,}/.exec(second.body)?.[0] ?? '';
  expect([...(await open(dana, back)).body.matchAll(/1\/\w{4}…\w{4}/g)].map(([hint]) => hint)).toEqual(
    hints[0],
  );
  expect(wordsOf(await open(dana, '/tokens?after=0_0'))).toContain('Start from the first page');
});

test('very many tokens are counted now, whatever the last count of the job said', async () => {
  const { store, clock } = system.bridge.context;
  const common = { client_id: app.clientId, source: 'imported', created_at: 1, updated_at: 1 } as const;
  for (let piece = 0; piece < 10; piece++) {
    const rows = Array.from({ length: 500 }, () => {
      const id = newHexId();
      return { ...common, id, token_digest: `many-${id}`, state: 'active' as const };
    });
    await store.durable.insertInto('mappings').values(rows).execute();
  }
  const counted = { unmapped: 0, reauthorization_required: 0, revoked: 0, migrated: 0, waiting_people: 0 };
  const day = dayOf(clock.now());
  await store.durable
    .insertInto('progress')
    .values({ ...counted, client_id: app.clientId, day, active: 1_234_567 })
    .execute();
  expect(wordsOf(await open(dana))).toMatch(
    /All tokens of this app (?:1 token waiting )?5,000 tokens connected/,
  );
});

test('an owner connects the own token from the list, and revokes for the own account alone', async () => {
  await waitingToken(system, { app, accountId: SAM.accountId });
  const page = await open(dana, '/tokens');
  const left = await pressIn(dana, page, /^Connect$/);
  expect(left.location).toContain(`${system.proxy.origin}/auth?`);
  expect(page.body).toContain(`/apps/${app.clientId}/revoke`);
  const forms = dana.forms(page).map(({ action }) => new URL(action).pathname);
  expect(forms).toEqual(['/sign-out', `/apps/${app.clientId}/connect`, `/apps/${app.clientId}/tokens`]);
});

test('real calls are in the list of calls, with the program, and what ends with the retirement is named', async () => {
  const token = await issueToken(system, { app });
  await read(system, '/1/profiles.json', token);
  await system.bridge.context.usage.flush();
  const { id } = await waitingToken(system, { app, accountId: SAM.accountId });
  await called(id, 1500, { endpoint: '/1/analytics.json', days: 3 });
  await called(id, 7, { endpoint: '/1/user.json', days: 40 });
  const words = wordsOf(await open(dana, '/calls'));
  expect(words).toMatch(/Ends with the retirement The old API alone carries out this call/);
  expect(words).toContain(
    'It is refused already for tokens that were given out here, and for accounts that the new API answers today.',
  );
  expect(words).toMatch(/\/ ?1\/ ?analytics\.json the address nightly-cron\/2\.1 1,500 /);
  expect(words).toMatch(/profiles\.json the header a program that does not say its name 1 /);
  expect(words).not.toContain('user.json');
  expect(wordsOf(await open(dana, '/calls?days=90'))).toContain('user.json');
  expect(wordsOf(await open(dana, '/calls?days=<script>'))).toContain('30 days');
});

test('the checklist counts what is there, and names what keeps a step from being done', async () => {
  const { id } = await waitingToken(system, { app, accountId: SAM.accountId });
  await called(id, 3, { days: 6 });
  await called(id, 9, { days: 8 });
  const words = wordsOf(await open(dana, '/move'));
  expect(words).toMatch(/0 of 4 steps are done/);
  expect(words).toContain('0 of 2 tokens are connected or moved. 2 wait for their holders.');
  expect(words).toMatch(/3 calls came .* \/1\/profiles\.json by nightly-cron\/2\.1: 3 calls/);
  await issueToken(system, { app });
  expect(wordsOf(await open(dana, '/move'))).toContain('2 of 3 tokens are connected or moved. 1 waits');
});

test('a rehearsal that is ended before it begins does not begin any more', async () => {
  const { clock } = system.bridge.context;
  await plan(system.bridge, { dates: { sunset: clock.now() + 40 * 86_400_000 } });
  const begun = await dana.follow(
    await pressIn(dana, await open(dana, '/rehearse'), /^Start the rehearsal$/),
  );
  const stopped = await dana.follow(await pressIn(dana, begun, /^End the rehearsal now$/));
  expect(wordsOf(stopped)).toMatch(/Stopped\. .*Ended before it began .*No call of this app met it\./);
  expect(wordsOf(stopped)).not.toMatch(/begins in a moment|failed/);
  expect(stopped.headers.get('refresh')).toBeNull();
  await plan(system.bridge, {});
});

test('contacts are added and removed, each once, with an entry in the history', async () => {
  const empty = await open(dana, '/contacts');
  expect(wordsOf(empty)).toContain('Nobody.');
  const added = await pressIn(dana, empty, /^Add$/, { address: ' ops@viewed.example ' });
  const list = await dana.follow(added);
  expect(wordsOf(list)).toMatch(/Added\. .*Remove ops@viewed\.example/);
  const twice = await pressIn(dana, list, /^Add$/, { address: 'Ops@viewed.example' });
  expect([twice.status, wordsOf(twice)]).toEqual([422, expect.stringContaining('is a contact already')]);
  const removed = await dana.follow(await pressIn(dana, list, /^Remove/));
  expect(wordsOf(removed)).toMatch(/Removed\. .*Nobody\./);
  expect((await historyOf(system, app.clientId)).slice(-2)).toEqual([
    'contact_added: ops@viewed.example',
    'contact_removed: ops@viewed.example',
  ]);
});

test('a bad address is said beside its field and stays typed; an eleventh has no room', async () => {
  const page = await open(dana, '/contacts');
  const bad = await pressIn(dana, page, /^Add$/, { address: '"a b"@<c' });
  expect([bad.status, wordsOf(bad)]).toEqual([422, expect.stringContaining('must be one mail address')]);
  expect(bad.body).toContain('value="&quot;a b&quot;@&lt;c"');
  expect((await pressIn(dana, page, /^Add$/, { address: '' })).status).toBe(422);
  for (let count = 0; count < 10; count++)
    expect((await pressIn(dana, page, /^Add$/, { address: `c${count}@viewed.example` })).status).toBe(303);
  const full = await pressIn(dana, page, /^Add$/, { address: 'more@viewed.example' });
  expect([full.status, wordsOf(full)]).toEqual([422, expect.stringContaining('at most 10 contacts')]);
  expect(full.body).toContain('value="more@viewed.example"');
  expect(wordsOf(await open(dana, '/contacts'))).toContain('remove one first');
});

test('nobody changes the contacts of another’s app, and no form without its field does', async () => {
  const page = await open(dana, '/contacts');
  const form = { address: 'evil@elsewhere.example' };
  const at = `${system.bridgeUrl}/apps/${app.clientId}/contacts`;
  for (const address of [at, `${at}/remove`]) {
    expect((await dana.post(address, form)).status).toBe(403);
    const own = { ...form, _form: /name="_form" value="([^"]+)"/.exec((await open(sam)).body)?.[1] ?? '' };
    const sams = await sam.get(`${system.bridgeUrl}/apps/register`);
    own._form = /name="_form" value="([^"]+)"/.exec(sams.body)?.[1] ?? '';
    expect((await sam.post(address, own)).status).toBe(404);
  }
  expect(wordsOf(page)).toContain('Nobody.');
  expect(wordsOf(await open(dana, '/contacts'))).toContain('Nobody.');
});
