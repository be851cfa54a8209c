import { EventEmitter, once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CookieWalker, type Page } from '../../support/callers/cookie-walker.ts';
import { linkOf } from '../../support/callers/html-forms.ts';
import { header, readMessage } from '../../support/servers/smtp-server.ts';
import { accountOf, errorAt, linkIn, noticeOn, pressLink, statusesOf } from '../support/account-pages.ts';
import { bytesAtRest, DEMO, obtainTokens, runModern, SECOND } from '../support/modern.ts';
import { base, browserOfDana, pages, trySignIn, withAccountOfDana } from '../support/running-account.ts';
import { sendForm, signedIn, valueOf } from '../support/settings.ts';

withAccountOfDana();

const linkSentTo = (email: string): string => linkIn(pages.smtp.mailTo(email).text);

const isAsked = (page: Page): boolean => page.url === `${pages.account}?done=email-asked`;

describe('a new e-mail address', () => {
  test('counts once the link in the mail is opened and its button pressed, in any browser', async () => {
    const browser = await signedIn(base, SECOND);
    const { access_token: token } = await obtainTokens({ base, browser });
    const wanted = 'Sam.New@box.example';
    const asked = await pages.askForEmail(browser, wanted, SECOND);
    expect(noticeOn(asked)).toContain('A mail with a link is on its way');
    expect(asked.body).toContain(`<strong>${wanted}</strong> is not confirmed yet`);
    expect(valueOf(asked, 'email')).toBe(wanted);
    const notice = pages.smtp.mailTo(SECOND.email);
    expect(notice.text).toContain(wanted);
    expect(notice.raw).not.toContain('http');
    expect(header(pages.smtp.mailTo(wanted), 'from')).toBe('Publishing account <no-reply@modern.example>');

    const link = linkSentTo(wanted);
    const phone = new CookieWalker();
    const opened = await phone.get(link);
    expect(opened.body).toContain(wanted);
    expect(opened.headers.get('referrer-policy')).toBe('no-referrer');
    expect((await accountOf(base, token)).email).toBe(SECOND.email);

    const done = await phone.follow(await pressLink(link, phone));
    expect([done.status, done.body]).toEqual([200, expect.stringContaining('address was changed')]);
    const told = pages.smtp.mailTo(SECOND.email);
    expect(header(told, 'subject')).toBe('Your e-mail address was changed');
    expect(told.text).toContain(wanted);
    expect(told.raw).not.toContain('http');
    expect(await pages.isSignedIn(phone)).toBe(false);
    expect(await pages.isSignedIn(browser)).toBe(true);
    const { email, organizations } = await accountOf(base, token);
    expect([email, organizations[0].ownerEmail]).toEqual([wanted, wanted]);
    expect((await trySignIn(SECOND)).status).toBe(401);
    await signedIn(base, { ...SECOND, email: wanted.toUpperCase() });
    expect((await phone.get(link)).status).toBe(410);
  });

  test('a mail in doubt may arrive, so its link works, and the page says so', async () => {
    const person = pages.newPerson();
    const browser = await signedIn(base, person);
    const silence = new EventEmitter();
    pages.smtp.onMoment = (moment) => (moment === 'taken' ? once(silence, 'over') : undefined);
    const asked = await pages.askForEmail(browser, 'doubt@box.example', person);
    pages.smtp.onMoment = () => undefined;
    silence.emit('over');
    expect([asked.status, asked.body]).toEqual([503, expect.stringContaining('may be on its way')]);
    expect((await browser.get(linkSentTo('doubt@box.example'))).body).toContain('doubt@box.example');
  }, 30_000);

  test('a link that was replaced, is too old or was never sent says what to do', async () => {
    const person = pages.newPerson();
    const browser = await signedIn(base, person);
    await pages.askForEmail(browser, 'first@box.example', person);
    await pages.askForEmail(browser, 'second@box.example', person);
    const [first, second] = [linkSentTo('first@box.example'), linkSentTo('second@box.example')];
    const waiting = await browser.get(second);
    expect(waiting.status).toBe(200);
    const expire = pages.database.prepare(
      'update email_changes set expires_at = unixepoch() where email = ?',
    );
    expect(expire.run('second@box.example').changes).toBe(1);
    const late = await sendForm(browser, waiting, { action: second });
    const unknown = await browser.get(`${base}/settings/email/${'x'.repeat(43)}`);
    for (const answer of [await browser.get(first), await browser.get(second), unknown, late]) {
      expect([answer.status, answer.body]).toEqual([410, expect.stringContaining('ask for a new link')]);
      expect(linkOf(answer.body, base, /your account/)).toBe(pages.account);
    }
    expect((await browser.get(pages.account)).body).not.toContain('not confirmed yet');
  });

  test('its button counts for nothing when another site presses it, or another browser’s form', async () => {
    const person = pages.newPerson();
    await pages.askForEmail(await signedIn(base, person), 'cross@box.example', person);
    const link = linkSentTo('cross@box.example');
    const browser = new CookieWalker();
    const fields = browser.forms(await browser.get(link))[0]?.fields ?? [];
    const sent = Object.fromEntries(fields.map(({ name, value }) => [name, value]));
    const own = { 'sec-fetch-site': 'same-origin' };
    const answers = [
      await browser.post(link, sent, { 'sec-fetch-site': 'cross-site' }),
      await browser.post(link, sent, { origin: 'https://evil.example' }),
      await browser.post(link, {}, own),
      await new CookieWalker().post(link, sent, own),
    ];
    expect(answers.map((answer) => answer.status)).toEqual([403, 403, 403, 403]);
    expect((await browser.post(link, sent, own)).status).toBe(303);
  });

  test('of two accounts for one address one gets it, and of two presses on one link one counts', async () => {
    const rivals = await Promise.all(
      [pages.newPerson(), pages.newPerson()].map(async (person) => ({
        person,
        browser: await signedIn(base, person),
      })),
    );
    const links: string[] = [];
    for (const { person, browser } of rivals) {
      await pages.askForEmail(browser, 'wanted@box.example', person);
      links.push(linkSentTo('wanted@box.example'));
    }
    const race = await Promise.all(links.map((link) => pressLink(link)));
    expect(statusesOf(race)).toEqual([303, 409]);

    const { person, browser } = rivals[race.findIndex((answer) => answer.status === 409)]!;
    await pages.askForEmail(browser, 'alone@box.example', person);
    const link = linkSentTo('alone@box.example');
    const double = await Promise.all([pressLink(link), pressLink(link)]);
    expect(statusesOf(double)).toEqual([303, 410]);
  });

  test('whether an address is in use shows nowhere but in the mail to it', async () => {
    const person = pages.newPerson();
    const browser = await signedIn(base, person);
    const ask = async (email: string) => {
      const { status: code, url, body } = await pages.askForEmail(browser, email, person);
      return { code, url, body: body.replaceAll(email, 'ADDRESS') };
    };
    const free = await ask('unknown@grantbridge.example');
    expect(await ask('Demo@grantbridge.example')).toEqual(free);
    expect(free.url).toBe(`${pages.account}?done=email-asked`);
    const mail = pages.smtp.mailTo(DEMO.email);
    expect(header(mail, 'subject')).toBe('Somebody wanted to use your e-mail address');
    expect(mail.raw).not.toContain('http');
  });

  test.each([
    ['no address', 'somebody'],
    ['two addresses', 'a@box.example,b@box.example'],
    ['an address with a header', 'a@box.example\r\nBcc: victim@box.example'],
    [
      'an address of 255 characters',
      `a@${'b'.repeat(60)}.${'c'.repeat(60)}.${'d'.repeat(60)}.${'e'.repeat(60)}.example.org`,
    ],
    ['the present address', DEMO.email.toUpperCase()],
  ])('%s is refused beside the field, which keeps it, and nothing is sent', async (_what, email) => {
    const before = pages.smtp.mails.length;
    const page = await pages.askForEmail(browserOfDana, email, DEMO);
    expect(page.status).toBe(422);
    expect(errorAt(page, 'email')).toMatch(/Enter an e-mail address|your address already/);
    expect(page.body).toContain(`value="${email}"`);
    expect(page.body).not.toContain(DEMO.password);
    expect(pages.smtp.mails).toHaveLength(before);
  });

  test('an hour has five mails for one account', async () => {
    const person = pages.newPerson();
    const browser = await signedIn(base, person);
    const asked = await Promise.all(
      Array.from({ length: 5 }, (_, index) =>
        pages.askForEmail(browser, `often-${index}@box.example`, person),
      ),
    );
    expect(asked.map(isAsked)).toEqual([true, true, true, true, true]);
    const limited = await pages.askForEmail(browser, 'often@box.example', person);
    expect(limited.status).toBe(429);
    expect(errorAt(limited, 'email')).toContain('5 mails within an hour');
    expect(Number(limited.headers.get('retry-after'))).toBeGreaterThan(60);
  });

  test('can be cancelled while it waits', async () => {
    const person = pages.newPerson();
    const browser = await signedIn(base, person);
    await pages.askForEmail(browser, 'mistyped@box.example', person);
    const cancelled = await pages.submit(browser, 'email/cancel', {});
    expect(noticeOn(cancelled)).toBe('The change was cancelled. Your e-mail address stays as it is.');
    expect(cancelled.body).not.toContain('mistyped@box.example');
    expect((await browser.get(linkSentTo('mistyped@box.example'))).status).toBe(410);
  });

  test('a new password stops an address that waits for its link', async () => {
    const person = pages.newPerson();
    const browser = await signedIn(base, person);
    await pages.askForEmail(browser, 'thief@box.example', person);
    await pages.submit(browser, 'password', {
      'current-password': person.password,
      'new-password': 'another new phrase',
    });
    expect((await browser.get(linkSentTo('thief@box.example'))).status).toBe(410);
  });

  test('the token of its link lies only as a digest in the database files', async () => {
    const person = pages.newPerson();
    await pages.askForEmail(await signedIn(base, person), 'at-rest@box.example', person);
    const token = new URL(linkSentTo('at-rest@box.example')).pathname.split('/').at(-1) ?? '';
    expect(token).toMatch(/^[\w-]{32}$/);
    const bytes = bytesAtRest(pages.modern.folder);
    expect([token, person.password].filter((secret) => bytes.includes(secret))).toEqual([]);
    expect(bytes).toContain('at-rest@box.example');
  });
});

describe('when mail cannot be sent', () => {
  test('a refused recipient and a server that is away are said so, and nothing waits', async () => {
    const person = pages.newPerson();
    const browser = await signedIn(base, person);
    pages.smtp.refused.add('gone@box.example');
    const refused = await pages.askForEmail(browser, 'gone@box.example', person);
    pages.smtp.isAway = true;
    const away = await pages.askForEmail(browser, 'gone@box.example', person);
    pages.smtp.isAway = false;
    expect([refused.status, errorAt(refused, 'email')]).toEqual([
      422,
      expect.stringContaining('check its spelling'),
    ]);
    expect([away.status, errorAt(away, 'email')]).toEqual([
      503,
      expect.stringContaining('could not be sent just now'),
    ]);
    for (const { body } of [refused, away]) {
      expect(body).not.toContain('not confirmed yet');
      expect(body).toContain('value="gone@box.example"');
    }
  });

  test('an earlier link goes on working, and the mails that failed are not counted', async () => {
    const person = pages.newPerson();
    const browser = await signedIn(base, person);
    await pages.askForEmail(browser, 'earlier@box.example', person);
    pages.smtp.isAway = true;
    const failed = await Promise.all(
      Array.from({ length: 4 }, () => pages.askForEmail(browser, 'later@box.example', person)),
    );
    pages.smtp.isAway = false;
    expect(statusesOf(failed)).toEqual([503, 503, 503, 503]);
    expect((await browser.get(linkSentTo('earlier@box.example'))).status).toBe(200);
    expect(isAsked(await pages.askForEmail(browser, 'later@box.example', person))).toBe(true);
    expect((await browser.get(linkSentTo('earlier@box.example'))).status).toBe(410);
  });

  test('a notice to a lost old box stops nothing', async () => {
    const person = pages.newPerson();
    pages.smtp.refused.add(person.email);
    expect(isAsked(await pages.askForEmail(await signedIn(base, person), 'kept@box.example', person))).toBe(
      true,
    );
    expect((await pressLink(linkSentTo('kept@box.example'))).status).toBe(303);
  });

  test('without a server the mail is a file, and the page of the demo says where', async () => {
    const files = mkdtempSync(join(tmpdir(), 'mail-files-'));
    const directory = join(files, 'mail');
    const other = await runModern({ mail: { from: 'no-reply@modern.example', directory } });
    const browser = await signedIn(other.server.url, SECOND);
    const page = await browser.get(`${other.server.url}/settings/account`);
    const fields = { email: 'file@box.example', 'email-password': SECOND.password };
    const shown = await browser.follow(
      await sendForm(browser, page, { action: '/settings/account/email', values: fields }),
    );
    expect(shown.body).toContain(directory);
    const texts = readdirSync(directory).map((name) => readFileSync(join(directory, name), 'utf8'));
    const sent = texts.map(readMessage).find((mail) => header(mail, 'to') === 'file@box.example');
    expect((await pressLink(linkIn(sent?.text.replaceAll('\r', '') ?? ''))).status).toBe(303);
    // The same people, on a server that is no demo.
    const { databaseFile } = other.settings;
    const real = await runModern({ databaseFile, demo: false, mail: other.settings.mail });
    const later = await signedIn(real.server.url, { ...SECOND, email: 'file@box.example' });
    const fieldsLater = { email: 'again@box.example', 'email-password': SECOND.password };
    const account = await later.get(`${real.server.url}/settings/account`);
    const waiting = await later.follow(
      await sendForm(later, account, { action: '/settings/account/email', values: fieldsLater }),
    );
    expect(waiting.body).toContain('again@box.example');
    expect(waiting.body).not.toContain(files);
    await real.stop();
    await other.stop();
    rmSync(files, { recursive: true });
  });
});
