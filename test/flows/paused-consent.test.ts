import { CookieWalker } from '../support/callers/cookie-walker.ts';
import { openApproval } from '../endpoints/support/authorize-address.ts';
import { type Door, openDoor } from '../endpoints/support/door.ts';
import { SettableClock } from '../support/bridge/settable-clock.ts';
import { consentAt, DANA } from '../owners/support/people.ts';

/** Consents and sign-ins while the new API takes no request of the client: no grant is made that nobody would know of. */

const PAUSE = 10 * 60_000;

const clock = new SettableClock();
let door: Door;

beforeAll(async () => {
  door = await openDoor({ clock });
});

afterAll(() => door.stop());

const mainApi = () => door.bridge.context.sides.mainApiFor(door.bridge.context.server.clientId);

/** The main API asks for a pause. */
const pauseFor = (ms: number) => mainApi().learn({ ...mainApi().budget(), pausedUntil: clock.now() + ms });

beforeEach(() => clock.advance(PAUSE));

const codeExchanges = () =>
  door.proxy.calls.filter(({ grantType }) => grantType === 'authorization_code').length;

/** A person has the page of the approval open. */
async function openPage() {
  const { browser, page, field } = await openApproval(door, {}, new CookieWalker());
  return { browser, allow: () => browser.post(page.url, { _form: field, decision: 'allow' }) };
}

test('an approval in a pause leads to no consent, and can be given again after the pause', async () => {
  const { allow } = await openPage();
  pauseFor(PAUSE);
  const refused = await allow();
  expect([refused.status, refused.location, refused.headers.get('retry-after')]).toEqual([
    503,
    undefined,
    '600',
  ]);
  expect(refused.body).toContain('Try again in 10 minutes.');
  clock.advance(PAUSE);
  expect((await allow()).location).toContain(door.proxy.origin);
});

test('a sign-in in a pause leads nowhere', async () => {
  pauseFor(PAUSE);
  const refused = await new CookieWalker().get(`${door.bridgeUrl}/sign-in`);
  expect([refused.status, refused.location]).toEqual([503, undefined]);
});

test('a pause that a return would outwait stops nobody', async () => {
  const { allow } = await openPage();
  pauseFor(3000);
  expect((await allow()).location).toContain(door.proxy.origin);
});

test('where the pause begins during the consent, its code is not exchanged, and the app is told to try later', async () => {
  const { browser, allow } = await openPage();
  const back = await consentAt(door, await allow(), { person: DANA });
  pauseFor(PAUSE);
  const before = codeExchanges();
  const page = await browser.get(back);
  expect(page.location).toMatch(/^https:\/\/app\.example\.com\/cb\?error=temporarily_unavailable/);
  expect(codeExchanges()).toBe(before);
});
