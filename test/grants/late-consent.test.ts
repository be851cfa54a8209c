import { reauthorizationLink } from '../../src/domain/authorization/reauthorize.ts';
import { settlePendingRevocations } from '../../src/domain/grants/pending-revocations.ts';
import type { LegacyApp } from '../support/callers/authorize.ts';
import { CookieWalker } from '../support/callers/cookie-walker.ts';
import { exchange, issueToken, read, tokenOf } from '../support/callers/legacy-calls.ts';
import { returnAddress } from '../support/callers/return-address.ts';
import { sendRaw } from '../support/callers/raw-request.ts';
import { SettableClock } from '../support/bridge/settable-clock.ts';
import { startSystem, type System } from '../support/bridge/system.ts';
import { until } from '../support/servers/held-answer.ts';
import {
  consentAt,
  DANA,
  historyOf,
  mappingOf,
  pressIn,
  waitingToken,
  wordsOf,
} from '../owners/support/people.ts';

/** A consent whose account is read late, while another consent or a revocation of the same app and account comes in between. */

const clock = new SettableClock();
let system: System;
let app: LegacyApp;

beforeAll(async () => {
  clock.run();
  system = await startSystem({ clock, env: { PROFILES_FRESH_SECONDS: '0', LEGACY_RATE_LIMIT: '0' } });
});
afterAll(() => system.stop());

beforeEach(async () => {
  app = await system.registerApp('https://old-app.example/callback');
});

const liveGrants = () =>
  system.bridge.context.store.durable
    .selectFrom('grants')
    .select('id')
    .where('client_id', '=', app.clientId)
    .where('state', '<>', 'dead')
    .execute();

const deauthorize = async (token: string) =>
  sendRaw(system.bridgeUrl, { method: 'POST', path: `/1/user/deauthorize.json?access_token=${token}` });

/** Walks a consent up to its return. */
async function consented(): Promise<{ browser: CookieWalker; address: string }> {
  const browser = new CookieWalker();
  const { href: address } = await returnAddress({ ...system, app, bridgeUrl: system.bridgeUrl }, browser);
  return { browser, address };
}

/** Opens the return of a consent, and keeps the account from it while `meanwhile` runs. */
async function storedAfter(
  { browser, address }: Awaited<ReturnType<typeof consented>>,
  meanwhile: () => Promise<void>,
) {
  let letGo: (() => void) | undefined;
  system.proxy.onOtherAnswer = async ({ path }, answer) => {
    if (path === '/' && letGo === undefined) await new Promise<void>((resolve) => (letGo = resolve));
    return answer;
  };
  const page = browser.get(address);
  await until(() => letGo !== undefined);
  clock.advance(1000);
  await meanwhile();
  clock.advance(1000);
  letGo?.();
  system.proxy.onOtherAnswer = undefined;
  return page;
}

const codeIn = (location = '') => decodeURIComponent(/[?&]code=([^&]*)/.exec(location)?.[1] ?? '');

test('a consent that is stored after a later one leaves the later one in place, and its app gets a token on it', async () => {
  const first = await consented();
  const later: Array<{ id: string; token: string }> = [];
  const page = await storedAfter(first, async () => {
    const token = await issueToken(system, { app });
    const [grant] = await liveGrants();
    later.push({ id: grant?.id ?? '', token });
  });
  const token = tokenOf(await exchange(system, codeIn(page.location), app));
  expect(await liveGrants()).toEqual([{ id: later[0]?.id }]);
  for (const each of [token, later[0]?.token ?? ''])
    expect((await read(system, '/1/user.json', each)).status).toBe(200);
  const history = await historyOf(system, app.clientId);
  expect(history.filter((line) => line.startsWith('grant'))).toEqual(['granted: consent']);
});

test('a consent that is stored after its app was deauthorized gives nothing back, and the app is told so', async () => {
  const token = await issueToken(system, { app });
  const page = await storedAfter(await consented(), async () => {
    expect((await deauthorize(token)).status).toBe(200);
  });
  expect(page.location).toMatch(
    /^https:\/\/old-app\.example\/callback\?error=access_denied&state=app-state$/,
  );
  expect(await liveGrants()).toEqual([]);
  expect((await historyOf(system, app.clientId)).filter((line) => line.startsWith('granted'))).toHaveLength(
    1,
  );
  expect((await read(system, '/1/user.json', await issueToken(system, { app }))).status).toBe(200);
});

const owed = () => system.bridge.context.store.durable.selectFrom('owed_revocations').selectAll().execute();

/** Ends every connection: another one of the account forbids a revocation (docs/decisions/0019). */
const endAll = () =>
  system.bridge.context.store.durable
    .updateTable('grants')
    .set({ state: 'dead', dead_at: 0, dead_cause: 'refused' })
    .execute();

/** A consent that is stored after its app was deauthorized; the refresh token that it gave. */
async function tooLate(): Promise<string> {
  const token = await issueToken(system, { app });
  const given: string[] = [];
  system.proxy.onTokenAnswer = (_call, answer) => {
    given.push((JSON.parse(String(answer.body)) as { refresh_token: string }).refresh_token);
    return answer;
  };
  await storedAfter(await consented(), async () => void (await deauthorize(token)));
  system.proxy.onTokenAnswer = undefined;
  expect(given).toHaveLength(1);
  expect(await owed()).toContainEqual(expect.objectContaining({ attempts: 0 }));
  return given[0] ?? '';
}

async function settleLater(): Promise<void> {
  await settlePendingRevocations(system.bridge.context);
  clock.advance(600_000);
  await settlePendingRevocations(system.bridge.context);
}

test('what a consent gave that came too late for its app is revoked at the new API after a while', async () => {
  await endAll();
  const refreshToken = await tooLate();
  await settlePendingRevocations(system.bridge.context);
  expect(system.proxy.revoked()).not.toContain(refreshToken);
  await settleLater();
  expect(system.proxy.revoked()).toContain(refreshToken);
  expect(await owed()).toEqual([]);
});

test('it is left to expire where the account has connected another app meanwhile', async () => {
  await endAll();
  const refreshToken = await tooLate();
  await issueToken(system);
  await settleLater();
  expect(system.proxy.revoked()).not.toContain(refreshToken);
  expect(await owed()).toEqual([]);
});

test('a consent that came after the deauthorization connects, also where a clock ran ahead before', async () => {
  const token = await issueToken(system, { app });
  clock.advance(86_400_000);
  await deauthorize(token);
  clock.advance(-86_400_000);
  clock.run();
  expect((await read(system, '/1/user.json', await issueToken(system, { app }))).status).toBe(200);
});

test('a consent from a link that is stored late serves the waiting tokens by the later grant', async () => {
  const { id, token } = await waitingToken(system, { app, accountId: DANA.accountId });
  const pair = { clientId: app.clientId, accountId: DANA.accountId };
  const link = await reauthorizationLink(system.bridge.context, pair);
  const browser = new CookieWalker();
  const left = await pressIn(browser, await browser.get(link), /^Connect$/);
  const address = await consentAt(system, left, { person: DANA });
  const page = await storedAfter({ browser, address }, async () => void (await issueToken(system, { app })));
  expect(page.location).toBe(`/apps/${app.clientId}/connected`);
  const [live] = await liveGrants();
  expect(await mappingOf(system, id)).toMatchObject({ state: 'active', grantId: live?.id });
  expect((await read(system, '/1/user.json', token)).status).toBe(200);
  const history = await historyOf(system, app.clientId);
  expect(history.filter((line) => line.startsWith('grant'))).toEqual(['granted: consent']);
});

test('a consent from a link that is stored after its app was deauthorized connects nothing', async () => {
  const issued = await issueToken(system, { app });
  await waitingToken(system, { app, accountId: DANA.accountId });
  const link = await reauthorizationLink(system.bridge.context, {
    clientId: app.clientId,
    accountId: DANA.accountId,
  });
  const browser = new CookieWalker();
  const left = await pressIn(browser, await browser.get(link), /^Connect$/);
  const address = await consentAt(system, left, { person: DANA });
  const waits: Array<{ id: string }> = [];
  const page = await storedAfter({ browser, address }, async () => {
    await deauthorize(issued);
    waits.push(await waitingToken(system, { app, accountId: DANA.accountId }));
  });
  expect(wordsOf(await browser.follow(page))).toContain('Nothing was connected: while you confirmed it');
  expect(await liveGrants()).toEqual([]);
  expect((await mappingOf(system, waits[0]?.id ?? '')).state).toBe('unmapped');
});
