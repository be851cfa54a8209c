import { OUT_OF_BAND } from '../../../src/domain/apps/callback-rule.ts';
import { newHexId } from '../../../src/shared/ids.ts';
import type { LegacyApp } from '../../support/callers/authorize.ts';
import { walkUntil } from '../../support/callers/authorize.ts';
import { authorizePath, openApproval } from '../support/authorize-address.ts';
import { type Door, openDoor } from '../support/door.ts';
import { expectPage, expectPage400 } from '../support/expectations.ts';
import { knock } from '../support/knock.ts';

/** An app whose callback no browser can go to: whatever it is told stands on a page. */

/** Kept by an app that was imported: the two that were in use, and one in other letters. */
const NO_PLACES = [OUT_OF_BAND, `${OUT_OF_BAND}:auto`, 'URN:ietf:wg:oauth:2.0:oob'];

let door: Door;
const apps = new Map<string, LegacyApp>();

async function importedApp(callback: string): Promise<LegacyApp> {
  const app = await door.addApp({ name: 'Barcode scanner' });
  const { durable } = door.bridge.context.store;
  await durable
    .updateTable('app_callbacks')
    .set({ uri: callback })
    .where('client_id', '=', app.clientId)
    .execute();
  return { ...app, callback };
}

beforeAll(async () => {
  door = await openDoor({ env: { SERVICE_NAME: 'Old codes' } });
  for (const callback of NO_PLACES) apps.set(callback, await importedApp(callback));
});
afterAll(() => door.stop());

const appWith = (callback: string) => apps.get(callback) ?? door.app;

const titleOf = ({ body }: { body: string }) => /<title>([^<]*)<\/title>/.exec(body)?.[1];

/** What the app asks wrongly, by both paths of the old address. */
const FAULTS: ReadonlyArray<
  readonly [what: string, changes: Record<string, string | undefined>, more: string]
> = [
  ['a wrong response_type', { response_type: 'token' }, ''],
  ['no response_type', { response_type: undefined }, ''],
  ['a parameter twice', {}, '&response_type=code'],
  ['two states', { state: 'a' }, '&state=b'],
  ['a state that is too long', { state: 's'.repeat(3000) }, ''],
];

describe.each(NO_PLACES)('the callback %s', (callback) => {
  test.each(FAULTS)('%s is told on a page, not by a redirect', async (_what, changes, more) => {
    for (const prefix of ['', '/1']) {
      const app = appWith(callback);
      const answer = await knock(door, { path: prefix + authorizePath(app, changes) + more });
      expectPage400(answer);
      expect(answer.text).toContain('This app cannot be connected');
      expect(answer.text).toMatch(/For the makers of the app: (unsupported_response_type|invalid_request)/);
    }
  });

  test('a refusal of the person is told on a page, at an address by which programs know it', async () => {
    const { browser, page, field } = await openApproval({ ...door, app: appWith(callback) });
    expect(page.body).toContain('Afterwards a page shows you a code');
    const own = { origin: door.bridgeUrl };
    const left = await browser.post(page.url, { _form: field, decision: 'deny' }, own);
    expect([left.status, left.location]).toEqual([303, `${door.bridgeUrl}/approve/access_denied`]);
    const denied = await browser.get(left.location ?? '');
    expect([denied.status, denied.location]).toEqual([200, undefined]);
    expect(denied.body).toContain('was not allowed to use your account');
  });

  test('the code of a consent stands on a page', async () => {
    const { person, bridgeUrl } = door;
    const until = `${bridgeUrl}/callback`;
    const opened = await openApproval({ ...door, app: appWith(callback) });
    const fields = { _form: opened.field, decision: 'allow' };
    const left = await opened.browser.post(opened.page.url, fields, { origin: bridgeUrl });
    const back = await walkUntil(left.location ?? '', { browser: opened.browser, person, until });
    const page = await opened.browser.get(back.location);
    expect([page.status, page.location]).toEqual([200, undefined]);
    const [, code] = /<code>(1\/[A-Za-z0-9]{32})<\/code>/.exec(page.body) ?? [];
    // Old programs show the pages in a window of their own, and take the first title with "code" in it for the code.
    expect(titleOf(opened.page)).toBe('Connect an app to your account?');
    expect(titleOf(page)).toBe(`Success code=${code}`);
    expect(page.headers.get('cache-control')).toBe('no-store');
    expect(page.headers.get('referrer-policy')).toBe('no-referrer');
  });
});

test('a scheme of an app on a device is still redirected to', async () => {
  const app = await importedApp(`app-${newHexId()}://done`);
  const answer = await knock(door, { path: authorizePath(app, { response_type: 'token' }) });
  expect([answer.status, answer.headers.location]).toEqual([
    302,
    `${app.callback}?error=unsupported_response_type`,
  ]);
});

test('a brownout, a foreign callback and another method redirect nowhere either', async () => {
  const app = appWith(OUT_OF_BAND);
  expectPage(await knock(door, { path: authorizePath(app, { redirect_uri: `${OUT_OF_BAND}:x` }) }), 400);
  const posted = await knock(door, { method: 'POST', path: authorizePath(app, { response_type: 'token' }) });
  expect([posted.status, posted.headers.location]).toEqual([405, undefined]);
});
