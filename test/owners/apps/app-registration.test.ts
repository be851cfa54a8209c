import { rmSync, mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Sqlite } from '../../../src/shared/sqlite.ts';
import { readConfig } from '../../../src/config/config.ts';
import { OUT_OF_BAND } from '../../../src/domain/apps/callback-rule.ts';
import { registerApp } from '../../../src/domain/apps/register-app.ts';
import { addStaff } from '../../../src/domain/accounts/staff.ts';
import { findApp } from '../../../src/store/apps/apps.ts';
import { migrationFiles } from '../../../src/store/driver/schema/migrations.ts';
import { openStore } from '../../../src/store/driver/open-store.ts';
import { valueOf } from '../../modern/support/settings.ts';
import { authorize } from '../../support/callers/authorize.ts';
import { CookieWalker, type Page } from '../../support/callers/cookie-walker.ts';
import { setDate } from '../../reminders/support/planning-ground.ts';
import { startSystem, type System } from '../../support/bridge/system.ts';
import { browserOf, DANA, pressIn, SAM, wordsOf } from '../support/people.ts';

/** Who may register an app, and what an app that its owner registered may do with the browsers of strangers. */

const CALLBACK = 'https://planner.example/callback?from=old';

let system: System;
let dana: CookieWalker;

beforeAll(async () => {
  system = await startSystem({ env: { LEGACY_RETIREMENT_AT: '2031-02-03', BRIDGE_SUNSET_AT: '2032-03-04' } });
  dana = await browserOf(system);
});

afterAll(() => system.stop());

async function register(browser: CookieWalker, callbacks: string, at = system): Promise<Page> {
  const page = await browser.get(`${at.bridgeUrl}/apps/register`);
  const entries = { name: 'Night <b>planner</b>', callbacks, contacts: '' };
  return pressIn(browser, page, /^Register app$/, entries);
}

const askedFor = (clientId: string, query: string) =>
  new CookieWalker().get(`${system.bridgeUrl}/oauth2/authorize?client_id=${clientId}&${query}`);

describe('an app that its owner registered', () => {
  let app: { clientId: string; clientSecret: string; callback: string };

  beforeAll(async () => {
    const page = await register(dana, CALLBACK);
    const [clientId, clientSecret] = [valueOf(page, 'client-id'), valueOf(page, 'client-secret')];
    app = { clientId, clientSecret, callback: CALLBACK };
  });

  test.each([
    [
      'an unknown kind of answer',
      'response_type=x&state=a%22b',
      'unsupported_response_type',
      { state: '&state=a%22b', description: 'response_type is not code.' },
    ],
    [
      'no kind of answer',
      'state=s',
      'invalid_request',
      { state: '&state=s', description: 'response_type is missing.' },
    ],
    [
      'a parameter twice',
      'response_type=code&response_type=code',
      'invalid_request',
      { state: '', description: 'response_type stands there more than once.' },
    ],
    [
      'a state that is too long',
      `response_type=code&state=${'s'.repeat(2049)}`,
      'invalid_request',
      { state: `&state=${'s'.repeat(2049)}`, description: 'state is longer than 2,048 bytes.' },
    ],
  ])(
    'sends nobody on by itself with %s: a page leads back',
    async (_what, query, error, { state, description }) => {
      const page = await askedFor(app.clientId, query);
      expect(page.status).toBe(400);
      expect(page.location).toBeUndefined();
      expect(page.headers.get('refresh')).toBeNull();
      expect(wordsOf(page)).toContain('Night &lt;b&gt;planner&lt;/b&gt;');
      expect(wordsOf(page)).toContain('Go on to planner.example');
      expect(wordsOf(page)).toContain(`For the makers of the app: ${error}, ${description}`);
      const wanted = `${CALLBACK}&error=${error}${state}`;
      expect(page.body).toContain(`href="${wanted.replaceAll('&', '&amp;')}"`);
    },
  );

  test('a decision of a person redirects to it, a denial and a code', async () => {
    const asking = { bridgeUrl: system.bridgeUrl, app, person: DANA, state: 's' };
    expect(await authorize({ ...asking, refuse: 'approval' })).toMatchObject({ error: 'access_denied' });
    expect((await authorize(asking)).code).toMatch(/^1\/[A-Za-z0-9]{32}$/);
  });
});

test.each([
  ['the operator registered', async () => undefined],
  [
    'was imported',
    async (clientId: string) => {
      const { durable } = system.bridge.context.store;
      await durable
        .updateTable('apps')
        .set({ source: 'imported' })
        .where('client_id', '=', clientId)
        .execute();
    },
  ],
])('an app that %s is told at once, as the old service did', async (_how, change) => {
  const registered = await registerApp(system.bridge.context, {
    name: 'Old planner',
    callbacks: ['https://old.example/cb'],
    owner: SAM.accountId,
    actor: 'command',
    requestId: null,
  });
  await change(registered?.clientId ?? '');
  const answer = await askedFor(registered?.clientId ?? '', 'response_type=x&state=s');
  expect(answer.location).toBe('https://old.example/cb?error=unsupported_response_type&state=s');
});

test('a code that is shown on a page is registered for nobody any more', async () => {
  const page = await register(dana, OUT_OF_BAND);
  expect(page.status).toBe(422);
  expect(wordsOf(page)).toContain('Nothing was registered.');
  expect(wordsOf(page)).toContain('shows the code on a page');
  const byCommand = {
    name: 'A',
    callbacks: [OUT_OF_BAND],
    owner: SAM.accountId,
    actor: 'command',
    requestId: null,
  };
  await expect(registerApp(system.bridge.context, byCommand)).rejects.toThrow('shows the code on a page');
});

test('the form says when the old API ends, and leads to a client of the new one first', async () => {
  const words = wordsOf(await dana.get(`${system.bridgeUrl}/apps/register`));
  expect(words).toContain('Use the new API first');
  expect(words).toMatch(/Retirement, .*3 Feb 2031/);
  expect(words).toMatch(/Sunset, .*4 Mar 2032/);
  expect(words.indexOf('Use the new API first')).toBeLessThan(words.indexOf('Callback URLs'));
});

const settingsOf = (env: Record<string, string>) => readConfig(env).appRegistration;

describe('who may register', () => {
  test('is everybody at first, and not in production', () => {
    expect(settingsOf({})).toBe('open');
    expect(settingsOf({ APP_REGISTRATION: 'off' })).toBe('off');
    expect(() => settingsOf({ APP_REGISTRATION: 'yes' })).toThrow('APP_REGISTRATION: must be open, staff or');
    const production = {
      NODE_ENV: 'production',
      PUBLIC_URL: 'https://bridge.example',
      TRUST_PROXY: '10.0.0.1',
      MODERN_AUTH_URL: 'https://auth.example',
      MODERN_API_URL: 'https://api.example',
      MODERN_CLIENT_ID: 'bridge',
      KEYS_FILE: 'package.json',
    };
    expect(settingsOf(production)).toBe('staff');
    expect(settingsOf({ ...production, APP_REGISTRATION: 'open' })).toBe('open');
  });

  test.each([
    ['staff', 'agent', 200],
    ['staff', 'reader', 403],
    ['off', 'lead', 403],
  ] as const)('with %s, somebody of the role %s gets %i, others are told', async (setting, role, form) => {
    const other = await startSystem({ env: { APP_REGISTRATION: setting } });
    const { context } = other.bridge;
    await addStaff(context, { account: SAM.accountId, role, actor: 'test', requestId: null });
    const [sam, nobody] = [await browserOf(other, SAM), await browserOf(other)];
    const address = `${other.bridgeUrl}/apps/register`;
    const closed = await nobody.get(address);
    expect(closed.status).toBe(403);
    expect(wordsOf(closed)).toContain(
      setting === 'staff' ? 'Support staff of this service register' : 'no more',
    );
    expect(wordsOf(closed)).toContain('Use the new API first');
    expect(wordsOf(closed)).not.toContain('Nothing was registered');
    const offered = async (browser: CookieWalker) => {
      const pages = ['', '/progress', '/account'].map((path) =>
        browser.get(`${other.bridgeUrl}/apps${path}`),
      );
      return (await Promise.all(pages)).map(({ body }) => body.includes('"/apps/register"'));
    };
    expect(await offered(nobody)).toEqual([false, false, false]);
    expect(new Set(await offered(sam))).toEqual(new Set([form === 200]));
    expect((await sam.get(address)).status).toBe(form);
    const rows = () => context.store.durable.selectFrom('apps').select('client_id').execute();
    const before = await rows();
    // The hidden field of any page of the session is that of this form too.
    const csrf = nobody
      .forms(closed)
      .flatMap(({ fields }) => fields)
      .find(({ name }) => name === 'csrf');
    const entries = { name: 'Late', callbacks: 'https://late.example/cb' };
    const sent = await nobody.post(address, { _form: csrf?.value ?? '', ...entries });
    expect([sent.status, wordsOf(sent).includes('Nothing was registered.')]).toEqual([403, true]);
    expect(await rows()).toEqual(before);
    if (form === 200) expect((await register(sam, 'https://late.example/cb', other)).status).toBe(200);
    expect(await rows()).toHaveLength(before.length + (form === 200 ? 1 : 0));
    await other.stop();
  });
});

test('of the apps of an earlier version, those that their owners registered are known by the history', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'registered-'));
  const file = join(folder, 'bridge.db');
  const older = new Sqlite(file);
  const files = migrationFiles('sqlite').filter(({ number }) => number < 8);
  for (const { path } of files) older.exec(readFileSync(path, 'utf8'));
  older.pragma('user_version = 7');
  const add = (id: string, source: string, actor: string) => {
    older
      .prepare('insert into apps (client_id, name, source, created_at) values (?, ?, ?, 1)')
      .run(id, id, source);
    older
      .prepare(
        "insert into events (at, actor, action, client_id, reason) values (1, ?, 'app_registered', ?, 'r')",
      )
      .run(actor, id);
  };
  add('own', 'registered', `account:${SAM.accountId}`);
  add('operator', 'registered', 'command');
  add('old', 'imported', `account:${SAM.accountId}`);
  older.close();
  const store = await openStore({ kind: 'sqlite', file });
  const marks = await Promise.all(['own', 'operator', 'old'].map((id) => findApp(store.durable, id)));
  expect(marks.map((app) => app?.self_registered)).toEqual([1, 0, 0]);
  await store.close();
  rmSync(folder, { recursive: true });
});

test('after the sunset the page of a new app promises nothing that is refused', async () => {
  const sam = await browserOf(system, SAM);
  expect(wordsOf(await register(sam, CALLBACK))).toContain('Connect to my account');
  await setDate(system.bridge.context, 'sunset', '2020-03-04');
  const page = await register(sam, CALLBACK);
  expect(valueOf(page, 'owner-token')).toMatch(/^1\//);
  const words = wordsOf(page);
  expect(words).toContain('The old API ended on');
  expect(words).not.toMatch(/Connect to my account|Then try it|works once you have connected/);
});
