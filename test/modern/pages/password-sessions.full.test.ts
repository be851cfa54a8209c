/** A person changes the password because somebody else knows it, who is busy at that very moment. */
import { EventEmitter, once } from 'node:events';
import { CookieWalker, type Page } from '../../support/callers/cookie-walker.ts';
import { linkIn, noticeOn, type Person } from '../support/account-pages.ts';
import { authorizationUrl, open, press, REDIRECT_URI, send } from '../support/modern.ts';
import { base, pages, withAccountPages } from '../support/running-account.ts';
import { sendForm, signedIn, signInToSettings } from '../support/settings.ts';

/** The mail server takes nobody's call before this has come to its end. */
let mailServerOpens: Promise<unknown> = Promise.resolve();

withAccountPages({ onConnect: (_session, done) => void mailServerOpens.then(() => done()) });

const NEXT = 'a phrase the thief does not know';
const ROUNDS = [1, 2];

async function changePassword(owner: CookieWalker, person: Person): Promise<void> {
  const values = { 'current-password': person.password, 'new-password': NEXT };
  expect(noticeOn(await pages.submit(owner, 'password', values))).toContain('Your password was changed');
}

async function newOwner() {
  const person = pages.newPerson();
  return { person, owner: await signedIn(base, person) };
}

const follow = (browser: CookieWalker, page: Page) => browser.follow(page, REDIRECT_URI);

/** Neither a code, nor a page that asks for consent. */
function expectNothing(page: Page): void {
  expect(page.location).toBeUndefined();
  expect(page.body).not.toContain('/consent"');
}

const pendingOf = ({ email }: Person): unknown =>
  pages.database
    .prepare(
      'select count(*) from email_changes where account_id = (select id from accounts where email = ?)',
    )
    .pluck()
    .get(email);

describe('a sign-in with the old password that waits at /auth', () => {
  test('comes to nothing when it goes on after the change', async () => {
    const { person, owner } = await newOwner();
    const thief = new CookieWalker();
    const form = await open(thief, authorizationUrl(base));
    const parked = await press(thief, form, { step: 'sign-in', fields: { ...person } });
    expect(parked.status).toBe(303);
    await changePassword(owner, person);
    const dead = await follow(thief, parked);
    expect(dead.body).toContain('expired');
    expectNothing(await send(thief, dead, { step: 'consent', fields: { decision: 'allow' } }));
    expect(await pages.isSignedIn(thief)).toBe(false);
    expect((await open(thief, authorizationUrl(base))).body).toContain('name="password"');
    expect(await pages.isSignedIn(owner)).toBe(true);
  });

  test('gives no code when it had come to the consent page, or even past it', async () => {
    const { person, owner } = await newOwner();
    const [asked, allowed] = [new CookieWalker(), new CookieWalker()];
    const consentOf = async (thief: CookieWalker) =>
      send(thief, await open(thief, authorizationUrl(base)), { step: 'sign-in', fields: { ...person } });
    const page = await consentOf(asked);
    const parked = await press(allowed, await consentOf(allowed), {
      step: 'consent',
      fields: { decision: 'allow' },
    });
    expect([page.body, parked.status]).toEqual([expect.stringContaining('/consent"'), 303]);
    await changePassword(owner, person);
    expectNothing(await send(asked, page, { step: 'consent', fields: { decision: 'allow' } }));
    expectNothing(await follow(allowed, parked));
  });

  test.each(ROUNDS)('comes to nothing while the password changes either, round %i', async () => {
    const { person, owner } = await newOwner();
    const thieves = await Promise.all(
      Array.from({ length: 6 }, async () => {
        const browser = new CookieWalker();
        return { browser, form: await open(browser, authorizationUrl(base)) };
      }),
    );
    const [, ...parked] = await Promise.all([
      changePassword(owner, person),
      ...thieves.map(({ browser, form }) => press(browser, form, { step: 'sign-in', fields: { ...person } })),
    ]);
    for (const [index, { browser }] of thieves.entries()) {
      expectNothing(await follow(browser, parked[index]!));
      expect(await pages.isSignedIn(browser)).toBe(false);
    }
    expect(await pages.isSignedIn(owner)).toBe(true);
  });
});

test.each(ROUNDS)('nobody stays signed in to the settings by the old password, round %i', async () => {
  const { person, owner } = await newOwner();
  const thieves = Array.from({ length: 8 }, () => new CookieWalker());
  await Promise.all([
    changePassword(owner, person),
    ...thieves.map((thief) => signInToSettings(thief, base, { person })),
  ]);
  expect(await Promise.all(thieves.map((thief) => pages.isSignedIn(thief)))).toEqual(
    thieves.map(() => false),
  );
  expect(await pages.isSignedIn(owner)).toBe(true);
});

describe('an e-mail address that somebody asks for with the old password', () => {
  test('does not wait for its link when the password changes before the mail is handed over', async () => {
    const { person, owner } = await newOwner();
    const thief = await signedIn(base, person);
    const door = new EventEmitter();
    mailServerOpens = once(door, 'open');
    const asking = pages.askForEmail(thief, 'held@thief.example', person);
    // Its password check is over long before this one has checked and made one.
    await changePassword(owner, person);
    door.emit('open');
    expect((await asking).url).toContain('/settings/sign-in');
    const link = linkIn(pages.smtp.mailTo('held@thief.example').text);
    expect((await thief.get(link)).status).toBe(410);
    expect(pendingOf(person)).toBe(0);
  });

  test.each(ROUNDS)('does not wait for it either when both come at once, round %i', async (round) => {
    const { person, owner } = await newOwner();
    const thief = await signedIn(base, person);
    await Promise.all([
      changePassword(owner, person),
      ...[1, 2, 3, 4].map((n) => pages.askForEmail(thief, `race-${round}-${n}@thief.example`, person)),
    ]);
    expect(pendingOf(person)).toBe(0);
  });
});

const cookieOf = ({ headers }: Response) =>
  headers
    .getSetCookie()
    .map((line) => line.split(';')[0])
    .join('; ');
const isIn = async (cookie: string) =>
  (await fetch(pages.account, { headers: { cookie }, redirect: 'manual' })).status === 200;

describe('a stolen copy of the owner’s own cookie', () => {
  test.each(ROUNDS)('is worth nothing, even when it is used during the change, round %i', async () => {
    const { person, owner } = await newOwner();
    const stolen = owner.cookieHeader(pages.account);
    expect(await isIn(stolen)).toBe(true);
    // Each of these writes the session again, under a new cookie.
    const use = () => fetch(authorizationUrl(base), { headers: { cookie: stolen }, redirect: 'manual' });
    const [, ...answers] = await Promise.all([changePassword(owner, person), use(), use(), use(), use()]);
    const copies = answers.map(cookieOf);
    for (const cookie of [stolen, ...copies]) expect(await isIn(cookie)).toBe(false);
    expect(await pages.isSignedIn(owner)).toBe(true);
    expect(owner.cookieHeader(pages.account)).not.toBe(stolen);
  });
});

test('two changes within one second leave the browser of the second signed in, and no other', async () => {
  const { person, owner } = await newOwner();
  await changePassword(owner, person);
  const second = { 'current-password': NEXT, 'new-password': 'and yet another phrase' };
  const other = await signedIn(base, { ...person, password: NEXT });
  const form = await other.get(pages.account);
  const done = await sendForm(other, form, { action: '/settings/account/password', values: second });
  expect(done.status).toBe(303);
  expect([await pages.isSignedIn(owner), await pages.isSignedIn(other)]).toEqual([false, true]);
  await signedIn(base, { ...person, password: 'and yet another phrase' });
});
