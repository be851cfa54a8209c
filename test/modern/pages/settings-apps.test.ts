import type { CookieWalker, Page } from '../../support/callers/cookie-walker.ts';
import { linkOf } from '../../support/callers/html-forms.ts';
import {
  apiStatus,
  CLIENT_SECRET,
  CONFIDENTIAL,
  consent,
  exchange,
  graphql,
  obtainTokens,
  PUBLIC,
  refresh,
} from '../support/modern.ts';
import { base, rows } from '../support/running-modern.ts';
import { dana, sam, withDanaAndSam } from '../support/settings-people.ts';
import { csrfOf, sendForm } from '../support/settings.ts';

withDanaAndSam();
afterEach(() => void rows((db) => db.exec("delete from oidc_records where kind <> 'Session'")));

const PATH = `/settings/apps/${PUBLIC}/revoke`;

const connect = (browser = dana, scope = 'account:read offline_access') =>
  obtainTokens({ base, browser, parameters: { scope } });

/** What a description list says of a term, without its tags. */
const termOf = ({ body }: Page, term: string) =>
  new RegExp(`<dt>${term}</dt><dd>(.*?)</dd>`).exec(body)?.[1]?.replaceAll(/<[^>]*>/g, '');

/** By UTC, as the page says it. */
const dateOf = (day: Date) =>
  `${day.getUTCDate()} ${day.toLocaleString('en', { month: 'long', timeZone: 'UTC' })} ${day.getUTCFullYear()}`;

const listOf = (browser: CookieWalker) => browser.get(`${base}/settings/apps`);

async function revoke(browser = dana) {
  return sendForm(browser, await browser.get(base + PATH), { action: PATH });
}

/** When each connection was last used. */
const used = () => rows((db) => db.prepare('select last_used_at from app_uses').pluck().all());

describe('the connected apps', () => {
  test('are none at first, and the page says so kindly', async () => {
    expect((await listOf(dana)).body).toContain('No app is connected to your account');
  });

  test('show each app once, with its address, its permissions in words, and its dates', async () => {
    const { access_token: token } = await connect();
    await connect(dana, 'account:read posts:read');
    const before = await listOf(dana);
    expect(before.body.match(/Public &lt;App&gt;<\/h2>/g)).toHaveLength(1);
    expect(before.body).toContain('localhost:45999');
    expect(termOf(before, 'Last used')).toBe('never');
    for (const words of ['See your account, organizations', 'Stay connected', 'See your posts'])
      expect(before.body).toContain(words);
    expect(before.body).not.toContain('Change your account settings');
    await apiStatus(base, token);
    expect(termOf(await listOf(dana), 'Last used')).toBe('less than a minute ago');
  });

  test('are connected since the first consent that still holds', async () => {
    const today = dateOf(new Date());
    await connect();
    await connect();
    expect([today, dateOf(new Date())]).toContain(termOf(await listOf(dana), 'Connected since'));
    const one = "select min(id_digest) from oidc_records where kind = 'Grant'";
    const then = "unixepoch('2026-01-02T23:30:00Z')";
    rows((db) => db.exec(`update oidc_records set created_at = ${then} where id_digest = (${one})`));
    expect(termOf(await listOf(dana), 'Connected since')).toBe('2 January 2026');
    rows((db) => db.exec(`update oidc_records set expires_at = 1 where id_digest = (${one})`));
    expect([today, dateOf(new Date())]).toContain(termOf(await listOf(dana), 'Connected since'));
  });

  test('are the same as the main API tells', async () => {
    const { access_token: token } = await connect();
    const query = '{ account { connectedApps { clientId name scopes website } } }';
    const { body } = await graphql(base, `Bearer ${String(token)}`, { query });
    expect(body.data.account.connectedApps).toEqual([
      {
        clientId: PUBLIC,
        name: 'Public <App>',
        scopes: ['account:read', 'offline_access'],
        website: 'http://localhost:45999',
      },
    ]);
  });

  test('leave out grants that have expired, and apps of other people', async () => {
    await connect();
    rows((db) => db.exec("update oidc_records set expires_at = unixepoch() - 1 where kind = 'Grant'"));
    await connect(sam);
    expect((await listOf(dana)).body).toContain('No app is connected');
    expect((await dana.get(base + PATH)).status).toBe(404);
  });

  test('note the last use no more often than once a minute', async () => {
    const { access_token: token } = await connect();
    await apiStatus(base, token);
    const first = used();
    await apiStatus(base, token);
    expect(used()).toEqual(first);
    rows((db) => db.exec("update app_uses set last_used_at = '2026-01-01T00:00:00.000Z'"));
    await apiStatus(base, token);
    expect(used()).not.toEqual(['2026-01-01T00:00:00.000Z']);
  });
});

describe('revoking an app', () => {
  test('says first what happens; then its next call is 401 and its refresh invalid_grant', async () => {
    const tokens = [await connect(), await connect()];
    const list = await listOf(dana);
    const asked = await dana.get(linkOf(list.body, list.url, /^Revoke/) ?? 'about:blank');
    expect(asked.url).toBe(base + PATH);
    expect(asked.body).toContain('cannot use your account any more');
    for (const { access_token: token } of tokens) expect(await apiStatus(base, token)).toBe(200);
    const revoked = await sendForm(dana, asked, { action: PATH });
    expect([revoked.status, revoked.location]).toEqual([303, '/settings/apps?done=app-revoked']);
    for (const given of tokens) {
      expect(await apiStatus(base, given['access_token'])).toBe(401);
      const answer = await refresh(base, given['refresh_token']);
      expect([answer.status, answer.body['error']]).toEqual([400, 'invalid_grant']);
    }
    const after = await dana.follow(revoked);
    expect(after.body).toMatch(/role="status"><p>The app was revoked/);
    expect(after.body).toContain('No app is connected');
  });

  test('leaves no row of it behind, and a code that was not spent is worth nothing', async () => {
    await connect();
    const unspent = await consent({ base, browser: dana });
    await revoke();
    const left = rows((db) =>
      db
        .prepare("select count(*) from oidc_records where kind not in ('Session', 'Interaction')")
        .pluck()
        .get(),
    );
    expect(left).toBe(0);
    const answer = await exchange(base, unspent);
    expect([answer.status, answer.body['error']]).toEqual([400, 'invalid_grant']);
  });

  test('wins against refreshes that run at the same time', async () => {
    const given = [await connect(), await connect(), await connect(), await connect()];
    const asked = await dana.get(base + PATH);
    const [revoked, ...refreshed] = await Promise.all([
      sendForm(dana, asked, { action: PATH }),
      ...given.map((tokens) => refresh(base, tokens['refresh_token'])),
    ]);
    expect(revoked.status).toBe(303);
    const all = [...given, ...refreshed.map(({ body }) => body)];
    const alive = all.filter((tokens) => tokens['access_token'] !== undefined);
    const statuses = await Promise.all(alive.map((tokens) => apiStatus(base, tokens['access_token'])));
    expect(new Set(statuses)).toEqual(new Set([401]));
  });

  test('touches neither the other apps of the account nor the same app of others', async () => {
    await connect();
    const ofSam = await connect(sam);
    const parameters = { client_id: CONFIDENTIAL };
    const { body: other } = await exchange(base, await consent({ base, browser: dana, parameters }), {
      client_id: CONFIDENTIAL,
      client_secret: CLIENT_SECRET,
    });
    await revoke();
    expect(await apiStatus(base, ofSam['access_token'])).toBe(200);
    expect(await apiStatus(base, other['access_token'])).toBe(200);
    expect((await listOf(dana)).body).toContain('Confidential App');
  });

  test('can be followed by a new consent, whose last use begins anew', async () => {
    const { access_token: token } = await connect();
    await apiStatus(base, token);
    await revoke();
    const again = await connect();
    expect((await listOf(dana)).body).toContain('<dd>never</dd>');
    expect(await apiStatus(base, again['access_token'])).toBe(200);
  });

  test('of an app that only somebody else has allowed is not found', async () => {
    const ofSam = await connect(sam);
    const fields = { csrf: csrfOf(await listOf(dana)) };
    expect((await dana.get(base + PATH)).status).toBe(404);
    expect((await dana.post(base + PATH, fields, { 'sec-fetch-site': 'same-origin' })).status).toBe(404);
    expect(await apiStatus(base, ofSam['access_token'])).toBe(200);
  });

  test.each([
    ['from another site', { 'sec-fetch-site': 'cross-site' }],
    ['without its csrf value', { origin: 'null' }],
  ])('%s is refused, and the app stays connected', async (what, headers) => {
    const { access_token: token } = await connect();
    const csrf = csrfOf(await listOf(dana));
    const fields: Record<string, string> = what === 'from another site' ? { csrf } : {};
    expect((await dana.post(base + PATH, fields, headers)).status).toBe(403);
    expect(await apiStatus(base, token)).toBe(200);
  });
});
