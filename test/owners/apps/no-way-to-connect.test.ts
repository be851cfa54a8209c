import { newHexId } from '../../../src/shared/ids.ts';
import { plan } from '../../lifecycle/support/lifecycle-rows.ts';
import { type RegisteredApp, registerLegacyApp } from '../../support/bridge/register-app.ts';
import type { CookieWalker } from '../../support/callers/cookie-walker.ts';
import { startSystem, type System } from '../../support/bridge/system.ts';
import { browserOf, DANA, pressIn, SAM, waitingToken, wordsOf } from '../support/people.ts';

/** No page promises a connection where none is possible: after the sunset, and at a program that nobody registered. */

let system: System;
let dana: CookieWalker;
let sam: CookieWalker;
/** Dana's, without any token. */
let bare: RegisteredApp;
/** With a token of Sam that waits. */
let used: RegisteredApp;
let program: string;

beforeAll(async () => {
  // Nobody asks it; while it is there, what waits is not refused.
  system = await startSystem({ env: { LEGACY_BACKEND_URL: 'http://127.0.0.1:9' } });
  [dana, sam] = [await browserOf(system), await browserOf(system, SAM)];
  bare = await registerLegacyApp(system.bridge, 'https://bare.example/cb', DANA.accountId);
  await rows().deleteFrom('mappings').execute();
  used = await registerLegacyApp(system.bridge, 'https://used.example/cb');
  await waitingToken(system, { app: used, accountId: SAM.accountId });
  const observed = {
    client_id: newHexId(),
    name: 'unidentified program: x',
    source: 'observed',
    created_at: 1,
  } as const;
  await rows().insertInto('apps').values(observed).execute();
  program = observed.client_id;
});
afterAll(() => system.stop());

beforeEach(() => sunset(undefined));

const rows = () => system.bridge.context.store.durable;

async function sunset(at: number | undefined): Promise<void> {
  await plan(system.bridge, at === undefined ? {} : { dates: { sunset: at } });
  await system.bridge.context.lifecycle.refresh();
}

const wordsAt = async (browser: CookieWalker, path: string) =>
  wordsOf(await browser.get(`${system.bridgeUrl}${path}`));

const places = (): Array<[browser: CookieWalker, path: string, before: string, after: string]> => {
  const own = `/apps/${bare.clientId}`;
  const none = 'No token of this app is known to be yours.';
  return [
    [sam, own, 'Otherwise start from the app', `${none} The old API has ended for it`],
    [sam, `${own}/tokens`, 'Otherwise start from the app', `${none} The old API has ended for it`],
    [dana, own, 'Each person who connects the app gets one', 'There is none, and none comes any more'],
    [dana, `${own}/tokens`, 'Each person who connects the app gets one', 'There is none, and none comes'],
    [dana, '/apps', 'Each person who connects the app gets one', 'No token.'],
    [dana, '/apps', 'When you connect one, it is listed here', 'No app of the old API uses your account.'],
    [sam, `/apps/${used.clientId}/revoke`, 'you connect it anew from the app', 'cannot be connected again'],
  ];
};

const PROMISES =
  /start from the app|person who connects|When you connect|connect it anew|keep it working|Paste it\b/;

test('after the sunset none of the pages that say how to connect says so', async () => {
  for (const [browser, path, before] of places()) expect(await wordsAt(browser, path)).toContain(before);
  await sunset(Date.now() - 1000);
  for (const [browser, path, , after] of places()) {
    const words = await wordsAt(browser, path);
    expect(words).toContain(after);
    expect(words).not.toMatch(PROMISES);
  }
});

test('a person of whom nothing is known is told of the token alone after the sunset', async () => {
  await rows().updateTable('apps').set({ owner_account_id: null }).execute();
  expect(await wordsAt(dana, '/apps')).toContain('how to keep it working');
  await sunset(Date.now() - 1000);
  expect(await wordsAt(dana, '/apps')).toContain('you see what is known of it');
});

test('a program that nobody registered cannot be connected anew, and no token is got from it', async () => {
  const page = await wordsAt(dana, `/apps/${program}`);
  expect(page).toContain('Paste it');
  expect(page).not.toContain('start from the app');
  await waitingToken(system, { app: { ...used, clientId: program }, accountId: DANA.accountId });
  const revoke = await wordsAt(dana, `/apps/${program}/revoke`);
  expect(revoke).toContain('These tokens cannot be connected again.');
  expect(revoke).not.toMatch(PROMISES);
});

test('who pastes a token of a retired app reads that no call makes it known again', async () => {
  const app = await registerLegacyApp(system.bridge, 'https://retired.example/cb');
  const { token } = await waitingToken(system, { app });
  await rows().updateTable('apps').set({ retired_at: 1 }).where('client_id', '=', app.clientId).execute();
  const form = await sam.get(`${system.bridgeUrl}/apps/paste-token`);
  const answer = await pressIn(sam, form, /^(Compare with my account|Look it up)$/, { token });
  expect(answer.status).toBe(422);
  expect(wordsOf(answer)).toContain('The app of this token was taken out of service');
  expect(wordsOf(answer)).not.toContain('with its first call');
});
