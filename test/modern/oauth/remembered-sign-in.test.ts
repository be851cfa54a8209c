import { CookieWalker, type Page } from '../../support/callers/cookie-walker.ts';
import {
  authorizationUrl,
  CLIENT_SECRET,
  CONFIDENTIAL,
  consent,
  exchange,
  newPkce,
  open,
  PUBLIC,
  REDIRECT_URI,
  refresh,
  SECOND,
} from '../support/modern.ts';
import { base, rows, withModern } from '../support/running-modern.ts';

/** A sign-in that was allowed once is not asked for again; every other consent is. */

const OWN = 'own-app';

withModern({
  clients: [
    {
      clientId: OWN,
      clientSecret: CLIENT_SECRET,
      name: 'Own',
      redirectUris: [REDIRECT_URI],
      remembersSignIn: true,
    },
    { clientId: CONFIDENTIAL, clientSecret: CLIENT_SECRET, name: 'Other', redirectUris: [REDIRECT_URI] },
    { clientId: PUBLIC, name: 'Public', redirectUris: [REDIRECT_URI], remembersSignIn: true },
  ],
});

const SIGN_IN = { client_id: OWN, scope: 'account:read', prompt: undefined };

let browser: CookieWalker;

beforeEach(() => {
  browser = new CookieWalker();
});

const ask = (parameters: Record<string, string | undefined>): Promise<Page> =>
  open(browser, authorizationUrl(base, { ...SIGN_IN, ...parameters }));
const isAsked = ({ body }: Page) => body.includes('name="decision"');
const grants = () =>
  rows(
    (db) => db.prepare("select count(*) as n from oidc_records where kind = 'Grant'").get() as { n: number },
  ).n;

test('the first sign-in is asked for, the second is not, and its code gives the one scope', async () => {
  await consent({ base, browser, parameters: SIGN_IN });
  const before = grants();
  const { location } = await ask({});
  const code = new URL(location ?? 'about:blank').searchParams.get('code');
  expect(code).not.toBeNull();
  expect(grants()).toBe(before + 1);
});

test('a replayed code of a silent sign-in leaves an earlier consent alone', async () => {
  const app = { client_id: OWN, client_secret: CLIENT_SECRET };
  const kept = await consent({ base, browser, parameters: { client_id: OWN } });
  const tokens = await exchange(base, kept, app);
  const { challenge, verifier } = newPkce();
  const { location } = await ask({ code_challenge: challenge });
  const silent = { code: new URL(location ?? '').searchParams.get('code') ?? '', verifier };
  expect((await exchange(base, silent, app)).body['scope']).toBe('account:read');
  expect((await exchange(base, silent, app)).body['error']).toBe('invalid_grant');
  expect((await refresh(base, tokens.body['refresh_token'], app)).status).toBe(200);
});

test.each([
  ['more than who is there', { scope: 'account:read posts:read' }],
  ['another scope', { scope: 'posts:read' }],
  ['a consent', { prompt: 'consent' }],
  ['another app', { client_id: CONFIDENTIAL }],
  ['a public app', { client_id: PUBLIC }],
])('%s is asked for, whatever was allowed before', async (_what, parameters) => {
  const wide = { prompt: 'consent', scope: 'account:read posts:read offline_access' };
  for (const clientId of [OWN, CONFIDENTIAL, PUBLIC])
    await consent({ base, browser, parameters: { ...wide, client_id: clientId } });
  const before = grants();
  expect(isAsked(await ask(parameters))).toBe(true);
  expect(grants()).toBe(before);
});

test('prompt=login asks for the password, and grants nothing before it', async () => {
  await consent({ base, browser, parameters: SIGN_IN });
  const before = grants();
  expect((await ask({ prompt: 'login' })).body).toContain('name="password"');
  expect(grants()).toBe(before);
});

test('prompt=none stays consent_required', async () => {
  await consent({ base, browser, parameters: SIGN_IN });
  const { location } = await ask({ prompt: 'none' });
  expect(new URL(location ?? 'about:blank').searchParams.get('error')).toBe('consent_required');
});

test('another account is asked once too, and an access that was ended is asked for again', async () => {
  await consent({ base, browser, parameters: SIGN_IN });
  const other = new CookieWalker();
  const page = await open(other, authorizationUrl(base, SIGN_IN));
  expect(page.body).toContain('name="password"');
  await consent({ base, browser: other, parameters: SIGN_IN, person: SECOND });
  rows((db) => db.prepare("delete from oidc_records where kind = 'Grant'").run());
  expect(isAsked(await ask({}))).toBe(true);
});
