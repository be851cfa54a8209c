import {
  exchange,
  fieldOf,
  OWN_CLIENT,
  refreshAsApp,
  startSystemWithOwnClient,
} from '../exchange/support/own-client.ts';
import type { CookieWalker } from '../support/callers/cookie-walker.ts';
import { linkOf } from '../support/callers/html-forms.ts';
import { issueToken, read } from '../support/callers/legacy-calls.ts';
import type { System } from '../support/bridge/system.ts';
import { browserOf, pressIn, wordsOf } from './support/people.ts';

/** To revoke an app that took a connection over ends that connection nowhere, and the pages say so. */

let system: System;
let dana: CookieWalker;

beforeEach(async () => {
  system = await startSystemWithOwnClient();
  dana = await browserOf(system);
});

afterEach(() => system.stop());

const open = async (path = '') => dana.get(`${system.bridgeUrl}/apps/${system.app.clientId}${path}`);

test('what the app took over goes on, and each page says where to end it', async () => {
  const moved = await exchange(system.bridgeUrl, await issueToken(system));
  const later = await issueToken(system);
  const app = await open();
  expect(wordsOf(app)).toContain('What the app took over to the new API is not ended here.');
  const { modernSettingsUrl } = system.bridge.context.settings;
  expect(linkOf(app.body, app.url, /your account settings/)).toBe(modernSettingsUrl);

  const asks = await open('/revoke');
  expect(wordsOf(asks)).toContain('cannot use your account with your old tokens');
  expect(wordsOf(asks)).toContain(
    'What the app took over to the new API goes on. End it in your account settings',
  );
  expect(wordsOf(asks)).not.toMatch(/any more|is told/);
  expect(linkOf(asks.body, asks.url, /your account settings/)).toBe(modernSettingsUrl);

  const page = await dana.follow(await pressIn(dana, asks, /^Revoke$/));
  expect(wordsOf(page)).toContain('Revoked. What the app took over to the new API is not ended by this');
  expect((await read(system, '/1/user.json', later)).status).toBe(401);
  expect((await refreshAsApp(system, String(fieldOf(moved, 'refresh_token')), OWN_CLIENT)).status).toBe(200);
});

test('an app that moved while the page was open was not revoked, and nothing says that it was', async () => {
  const token = await issueToken(system);
  const asks = await open('/revoke');
  expect(wordsOf(asks)).toContain('cannot use your account any more');
  expect((await exchange(system.bridgeUrl, token)).status).toBe(200);
  const page = await dana.follow(await pressIn(dana, asks, /^Revoke$/));
  expect(wordsOf(page)).toMatch(/Nothing was revoked.*1 token moved.*not ended here/);
});

test('an earlier revocation is not told as the one that came too late', async () => {
  await issueToken(system);
  await pressIn(dana, await open('/revoke'), /^Revoke$/);
  const token = await issueToken(system);
  const asks = await open('/revoke');
  expect((await exchange(system.bridgeUrl, token)).status).toBe(200);
  const page = await dana.follow(await pressIn(dana, asks, /^Revoke$/));
  expect(wordsOf(page)).toContain('Nothing was revoked');
});
