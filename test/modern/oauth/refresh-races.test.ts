import { CookieWalker } from '../../support/callers/cookie-walker.ts';
import { browser, withConsentingBrowser } from '../support/consenting-browser.ts';
import {
  apiStatus,
  CONFIDENTIAL,
  consent,
  exchange,
  PUBLIC,
  refresh,
  runModern,
  type TokenAnswer,
} from '../support/modern.ts';
import { base, modern } from '../support/running-modern.ts';
import { type App, APPS, kinds } from '../support/token-requests.ts';

withConsentingBrowser();

const rows = kinds.flatMap((kind) => [2, 10].map((count): [number, App] => [count, kind]));

const given = (kind: App) => consent({ base, browser, parameters: { client_id: APPS[kind].client_id } });
const obtain = async (kind: App) => (await exchange(base, await given(kind), APPS[kind])).body;
const together = <T>(count: number, work: () => Promise<T>) =>
  Promise.all(Array.from({ length: count }, work));

/** The one 200; everything else is invalid_grant. */
function winnerOf(answers: TokenAnswer[]): TokenAnswer['body'] {
  const lost = answers.filter(({ status }) => status !== 200);
  expect(lost).toHaveLength(answers.length - 1);
  for (const { status, body } of lost) expect([status, body['error']]).toEqual([400, 'invalid_grant']);
  return answers.find(({ status }) => status === 200)?.body ?? {};
}

/** RFC 9700 §4.14.2: no token of the grant works any more, at either door. */
async function expectDead(kind: App, ...pairs: Array<TokenAnswer['body']>): Promise<void> {
  for (const pair of pairs) {
    expect(await apiStatus(base, pair['access_token'])).toBe(401);
    if (pair['refresh_token'] === undefined) continue;
    const { status, body } = await refresh(base, pair['refresh_token'], APPS[kind]);
    expect([status, body['error']]).toEqual([400, 'invalid_grant']);
  }
}

test.each(rows)(
  'of %d refreshes of one token at the same time by %s one wins, and the grant ends',
  async (count, kind) => {
    const first = await obtain(kind);
    const second = winnerOf(await together(count, () => refresh(base, first['refresh_token'], APPS[kind])));
    await expectDead(kind, second, first);
  },
);

test.each(rows)(
  'of %d exchanges of one code at the same time by %s one wins, and the grant ends',
  async (count, kind) => {
    const code = await given(kind);
    await expectDead(kind, winnerOf(await together(count, () => exchange(base, code, APPS[kind]))));
  },
);

test.each(kinds)('reuse after a success by %s ends every pair of the chain', async (kind) => {
  const first = await obtain(kind);
  const second = (await refresh(base, first['refresh_token'], APPS[kind])).body;
  const third = (await refresh(base, second['refresh_token'], APPS[kind])).body;
  expect(await apiStatus(base, third['access_token'])).toBe(200);
  expect((await refresh(base, first['refresh_token'], APPS[kind])).body['error']).toBe('invalid_grant');
  await expectDead(kind, first, second, third);
});

/** A scope that no consent of these tests has, and one that no scope may be. */
const REFUSED_SCOPES = ['account:read posts:write', 'a "b"'];

test.each(kinds.flatMap((kind) => REFUSED_SCOPES.map((scope): [App, string] => [kind, scope])))(
  'reuse by %s with the scope %s, which is refused, ends every pair as well',
  async (kind, scope) => {
    const first = await obtain(kind);
    const wider = (token: TokenAnswer['body'], extra = {}) =>
      refresh(base, token['refresh_token'], { ...APPS[kind], scope, ...extra });
    expect((await wider(first)).body['error']).toBe('invalid_scope');
    const second = (await refresh(base, first['refresh_token'], APPS[kind])).body;
    await wider(first, { client_id: CONFIDENTIAL, client_secret: 'wrong' });
    expect((await wider(second)).body['error']).toBe('invalid_scope');
    expect(await apiStatus(base, second['access_token'])).toBe(200);
    expect((await wider(first)).body['error']).toBe('invalid_scope');
    await expectDead(kind, first, second);
  },
);

test('reuse ends its own grant and no other of the same person and app', async () => {
  const [first, other] = [await obtain('a public app'), await obtain('a public app')];
  await refresh(base, first['refresh_token']);
  await refresh(base, first['refresh_token']);
  await expectDead('a public app', first);
  expect(await apiStatus(base, other['access_token'])).toBe(200);
  expect((await refresh(base, other['refresh_token'])).status).toBe(200);
});

test('a used token that another app sends ends nothing', async () => {
  const first = await obtain('a public app');
  const second = (await refresh(base, first['refresh_token'])).body;
  const foreign = await refresh(base, first['refresh_token'], APPS['a confidential app']);
  expect([foreign.status, foreign.body['error']]).toEqual([400, 'invalid_grant']);
  expect(await apiStatus(base, second['access_token'])).toBe(200);
});

test('a refresh and a revocation at the same time leave nothing alive', async () => {
  const first = await obtain('a public app');
  const revoked = fetch(`${base}/token/revocation`, {
    method: 'POST',
    body: new URLSearchParams({ client_id: PUBLIC, token: String(first['refresh_token']) }),
  });
  const [refreshed, { status }] = await Promise.all([refresh(base, first['refresh_token']), revoked]);
  expect(status).toBe(200);
  await expectDead('a public app', first, ...(refreshed.status === 200 ? [refreshed.body] : []));
});

test('two servers on one database let one refresh through between them, and the grant ends', async () => {
  const neighbour = await runModern({ databaseFile: modern.settings.databaseFile });
  const first = await obtain('a public app');
  const doors = [base, neighbour.server.url, base, neighbour.server.url];
  const second = winnerOf(await Promise.all(doors.map((at) => refresh(at, first['refresh_token']))));
  await neighbour.stop();
  await expectDead('a public app', first, second);
});

describe('after a restart', () => {
  test('live tokens live on, spent ones still end their grant, ended grants stay ended', async () => {
    const before = await runModern();
    const at = before.server.url;
    const walker = new CookieWalker();
    const fresh = async () => (await exchange(at, await consent({ base: at, browser: walker }))).body;
    const [alive, ended, spent] = [await fresh(), await fresh(), await fresh()];
    const code = await consent({ base: at, browser: walker });
    await refresh(at, ended['refresh_token']);
    await refresh(at, ended['refresh_token']);
    const successor = (await refresh(at, spent['refresh_token'])).body;
    await before.server.close();

    const after = await runModern({ databaseFile: before.settings.databaseFile });
    const now = after.server.url;
    expect(await apiStatus(now, alive['access_token'])).toBe(200);
    expect((await refresh(now, alive['refresh_token'])).status).toBe(200);
    expect((await exchange(now, code)).status).toBe(200);
    expect((await exchange(now, code)).body['error']).toBe('invalid_grant');
    expect(await apiStatus(now, ended['access_token'])).toBe(401);
    expect(await apiStatus(now, successor['access_token'])).toBe(200);
    expect((await refresh(now, spent['refresh_token'])).body['error']).toBe('invalid_grant');
    expect(await apiStatus(now, successor['access_token'])).toBe(401);
    expect((await refresh(now, successor['refresh_token'])).body['error']).toBe('invalid_grant');
    await after.stop();
    await before.stop();
  });
});
