import { DAY } from '../../../src/shared/lifetimes.ts';
import { CookieWalker, type Page } from '../../support/callers/cookie-walker.ts';
import { read } from '../../support/callers/legacy-calls.ts';
import { SettableClock } from '../../support/bridge/settable-clock.ts';
import { startSystem, type System } from '../../support/bridge/system.ts';
import {
  browserOf,
  consentAt,
  DANA,
  mappingOf,
  pressIn,
  SAM,
  signIn,
  waitingToken,
  wordsOf,
} from '../../owners/support/people.ts';
import {
  appNamed,
  BY_EMAIL,
  DANA_PERSON,
  type Letter,
  letterTo,
  toHolder,
  toOwner,
} from '../support/letters.ts';

/** The buttons of a mail, pressed in a browser that knows nothing yet. */

let system: System;
const clock = new SettableClock();

beforeAll(async () => {
  clock.run();
  system = await startSystem({ clock });
});
afterAll(() => system.stop());

const at = () => clock.now() + 14 * DAY;

/** The address under a label of the text part. */
function linkTo({ text }: Letter, label: string): string {
  const start = text.indexOf(`${label}:\n`);
  return /http\S+/.exec(text.slice(start))?.[0] ?? `no link to ${label}`;
}

/** Opens a link, signs in where the page asks for it, and opens it again. */
async function openedBy(browser: CookieWalker, link: string): Promise<Page> {
  const first = await browser.get(link);
  expect(wordsOf(first)).toMatch(/sign in/i);
  await signIn(system, browser);
  return browser.get(link);
}

async function connectAndConsent(browser: CookieWalker, page: Page): Promise<Page> {
  const left = await pressIn(browser, page, /^Connect$/);
  return browser.follow(await browser.get(await consentAt(system, left, { person: DANA })));
}

test('the holder connects the app from a fresh browser', async () => {
  const app = await appNamed(system, 'Report tool');
  const { id, token } = await waitingToken(system, { app, accountId: DANA.accountId });
  const letter = await letterTo(system, DANA_PERSON, [toHolder(app, { at: at() })]);
  const browser = new CookieWalker();
  const page = await openedBy(browser, linkTo(letter, 'Connect “Report tool”'));
  const done = await connectAndConsent(browser, page);
  expect(wordsOf(done)).toContain('“Report tool” is connected We just read 12 channels of your account');
  expect((await mappingOf(system, id)).state).toBe('active');
  expect((await read(system, '/1/user.json', token)).status).toBe(200);
});

test('somebody known by the address alone proves it, is led to the app and connects it; the next button goes on', async () => {
  const [app, second] = [await appNamed(system, 'Night server'), await appNamed(system, 'Day server')];
  const token = await waitingToken(system, { app, email: DANA.login });
  const other = await waitingToken(system, { app: second, email: DANA.login });
  const letter = await letterTo(system, BY_EMAIL, [
    toHolder({ ...app, name: 'Night server' }, { at: at() }),
    toHolder({ ...second, name: 'Day server' }, { stage: 'unused', at: at() }),
  ]);
  const browser = new CookieWalker();
  const proof = await openedBy(browser, linkTo(letter, 'Connect “Night server”'));
  expect((await mappingOf(system, token.id)).accountId).toBeNull();
  const page = await browser.follow(await pressIn(browser, proof, /Yes/));
  expect(page.url).toMatch(/\/apps\/connect\/[0-9a-f]{24}$/);
  expect((await mappingOf(system, other.id)).accountId).toBe(DANA.accountId);
  await connectAndConsent(browser, page);
  expect((await mappingOf(system, token.id)).state).toBe('active');

  const off = await browser.follow(await browser.get(linkTo(letter, 'Turn it off now')));
  expect([off.url, wordsOf(off)]).toEqual([
    `${system.bridgeUrl}/apps/${second.clientId}/revoke`,
    expect.stringContaining('cannot use your account any more'),
  ]);
  await pressIn(browser, off, /Revoke/);
  expect((await mappingOf(system, other.id)).state).toBe('revoked');
  const { durable } = system.bridge.context.store;
  const rows = JSON.stringify(await durable.selectFrom('email_proofs').selectAll().execute());
  const value = /prove-email\/([\w-]{43})/.exec(letter.text)?.[1] ?? 'none';
  expect(rows).not.toContain(value);
});

test('an account is led to the proof where some of its tokens wait under its address alone', async () => {
  const app = await appNamed(system, 'Mixed');
  const pinned = await waitingToken(system, { app, accountId: DANA.accountId });
  const loose = await waitingToken(system, { app, email: DANA.login });
  const letter = await letterTo(system, DANA_PERSON, [toHolder({ ...app, name: 'Mixed' }, { at: at() })]);
  const browser = await browserOf(system);
  const proof = await browser.get(linkTo(letter, 'Connect “Mixed”'));
  await connectAndConsent(browser, await browser.follow(await pressIn(browser, proof, /Yes/)));
  for (const { id } of [pinned, loose]) expect((await mappingOf(system, id)).state).toBe('active');
});

test('an owner known by the address alone proves it and is led to the app', async () => {
  const app = await appNamed(system, 'Owned', DANA.login);
  const letter = await letterTo(system, BY_EMAIL, [toOwner({ ...app, name: 'Owned' }, { at: at() })]);
  const browser = await browserOf(system);
  const proof = await browser.get(linkTo(letter, 'See “Owned”'));
  const page = await browser.follow(await pressIn(browser, proof, /Yes/));
  expect([page.url, wordsOf(page)]).toEqual([
    `${system.bridgeUrl}/apps/${app.clientId}`,
    expect.stringContaining('What your program needs'),
  ]);
});

test('what goes to a contact in the place of an address proves nothing of that address', async () => {
  const app = await appNamed(system, 'Passed on', 'gone@old.example');
  const gone = { ...BY_EMAIL, id: 'email:gone@old.example' };
  const contact = { ...gone, address: 'contact@old.example', isContact: true } as const;
  const due = [toOwner({ ...app, name: 'Passed on' }, { at: at() })];
  const letter = await letterTo(system, contact, due);
  expect(letter.text + letter.html).not.toMatch(/prove-email|\/modern-client|\/rehearse|address is yours/);
  expect(letter.text.replaceAll(/\s+/g, ' ')).toContain('You get this as a contact of the app');
  expect(letter.text).not.toContain('sign in there');
  expect(letter.text.replaceAll(/\s+/g, ' ')).toMatch(/You can type [^ ]+\/lifecycle into your browser/);
  expect(linkTo(letter, 'See “Passed on”')).toBe(`${system.bridgeUrl}/apps/${app.clientId}`);
  const own = await letterTo(system, { ...gone, address: ' Gone@Old.Example' }, due);
  expect(own.text.replaceAll(/\s+/g, ' ')).toContain('its link shows that the address is yours');
  expect(own.text.replaceAll(/\s+/g, ' ')).toMatch(
    /You can type [^ ]+\/apps into your browser and sign in there/,
  );
  expect(linkTo(own, 'See “Passed on”')).toContain('/apps/prove-email/');
});

test('another person can do nothing with the link, a foreign query leads nowhere, and it ends after a day', async () => {
  const app = await appNamed(system, 'Later');
  const { id } = await waitingToken(system, { app, email: DANA.login });
  const letter = await letterTo(system, BY_EMAIL, [
    toHolder({ ...app, name: 'Later' }, { at: clock.now() + 60 * DAY }),
  ]);
  const link = linkTo(letter, 'Connect “Later”');
  const sam = await browserOf(system, SAM);
  const refused = await sam.get(link);
  expect([refused.status, wordsOf(refused)]).toEqual([
    403,
    expect.stringContaining('another e-mail address'),
  ]);
  clock.advance(DAY - 60_000);
  clock.run();
  let dana = await browserOf(system);
  expect(wordsOf(await dana.get(link))).toContain('Is this e-mail address yours?');
  clock.advance(120_000);
  clock.run();
  dana = await browserOf(system);
  const over = await dana.get(link);
  expect([over.status, wordsOf(over)]).toEqual([403, expect.stringContaining('It is older than 24 hours')]);
  expect((await mappingOf(system, id)).accountId).toBeNull();

  const fresh = await letterTo(system, BY_EMAIL, [toHolder({ ...app, name: 'Later' }, { at: at() })]);
  const value = linkTo(fresh, 'Connect “Later”').replace(/\?.*/, '');
  const proof = await dana.get(`${value}?connect=https://evil.example/`);
  const done = await pressIn(dana, proof, /Yes/);
  expect(done.location).toBe('/apps?done=proven');
});
