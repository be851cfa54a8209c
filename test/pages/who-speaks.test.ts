import PostalMime from 'postal-mime';
import { readConfig } from '../../src/config/config.ts';
import { browserOf, DANA, pressIn, waitingToken, wordsOf } from '../owners/support/people.ts';
import { type Letter, NOW, sampleLetters } from '../reminders/support/letters.ts';
import { SettableClock } from '../support/bridge/settable-clock.ts';
import { startSystem, type System } from '../support/bridge/system.ts';
import { CookieWalker } from '../support/callers/cookie-walker.ts';
import { type SmtpDoor, startSmtpServer } from '../support/servers/smtp-server.ts';

/** People read the name that the operator gave the service, and find help, on every page and in every mail. */

const NAME = 'Brücken & Töchter';
const IN_HTML = 'Brücken &amp; Töchter';
const SETTINGS = 'https://new-api.example/settings';
const HELP = 'mailto:help@bridge.example';

let system: System;
let smtp: SmtpDoor;
let dana: CookieWalker;
let letters: Letter[];
const clock = new SettableClock(NOW);

beforeAll(async () => {
  clock.run();
  smtp = await startSmtpServer();
  const mail = { SMTP_URL: `smtp://127.0.0.1:${smtp.port}`, MAIL_FROM: 'no-reply@bridge.example' };
  system = await startSystem({
    clock,
    env: {
      ...mail,
      SERVICE_NAME: NAME,
      SERVICE_LANGUAGE: 'en-gb',
      HELP_URL: HELP,
      MODERN_SETTINGS_URL: SETTINGS,
    },
  });
  letters = Object.values(await sampleLetters(system));
  dana = await browserOf(system);
});

afterAll(async () => {
  await system.stop();
  await smtp.close();
});

const ownApp = () =>
  system.bridge.context.store.durable
    .selectFrom('apps')
    .select('client_id')
    .where('owner_account_id', '=', DANA.accountId)
    .executeTakeFirstOrThrow();

const PAGES = ['/', '/lifecycle', '/migrate/calls', '/apps', '/apps/progress', '/nowhere'];

test.each(PAGES)('%s', async (path) => {
  const page = await dana.get(`${system.bridgeUrl}${path}`);
  expect(page.body).toMatch(/<title>[^<]* – Brücken &amp; Töchter<\/title>/);
  expect(page.body).toContain('<html lang="en-GB">');
  expect(page.body).toContain(`<a href="${HELP}">Help</a>`);
  expect(page.body).toContain(`href="/">${IN_HTML}</a>`);
  // The addresses of the embedded new API's people, and a name of the exchange, have it.
  expect(wordsOf(page).replaceAll(/demo@grantbridge|urn:grantbridge/g, '')).not.toContain('grantbridge');
});

test('where a page sends people to their account settings, it leads there', async () => {
  const { client_id: clientId } = await ownApp();
  for (const path of ['/lifecycle', '/apps/register', `/apps/${clientId}/modern-client`]) {
    const { body } = await dana.get(`${system.bridgeUrl}${path}`);
    expect({ path, body }).toMatchObject({
      body: expect.stringContaining(`<a href="${SETTINGS}">your account settings</a>`) as string,
    });
    expect(body.replaceAll(/<a [^>]*>your account settings<\/a>/g, '')).not.toMatch(
      /(?:in|of|to) (?:the|your) account settings/,
    );
  }
});

test('the page of an app’s OAuth client, and the page on which a person approves an app', async () => {
  const { client_id: clientId } = await ownApp();
  const page = await dana.get(`${system.bridgeUrl}/apps/${clientId}/modern-client`);
  expect(wordsOf(page)).toContain(`the account page asks them for ${IN_HTML}.`);
  const { clientId: app, callback } = system.app;
  const asked = new URLSearchParams({ client_id: app, response_type: 'code', redirect_uri: callback });
  const browser = new CookieWalker();
  const approval = await browser.follow(
    await browser.get(`${system.bridgeUrl}/oauth2/authorize?${asked.toString()}`),
  );
  expect(wordsOf(approval)).toContain(`That page may name ${IN_HTML}, which connects apps of the old API`);
});

test('every reminder, in text and in HTML', () => {
  expect(letters.length).toBeGreaterThan(5);
  for (const { text, html } of letters) {
    expect(text).toMatch(/Brücken & Töchter at \S+ sends\s+this\s+mail/);
    expect(text).toContain(HELP);
    expect(html).toContain('<html lang="en-GB" dir="ltr">');
    expect(html).toContain('Brücken &amp; Töchter at ');
    expect(html).toContain(`href="${HELP}"`);
    expect(`${text}${html}`).not.toContain('grantbridge at');
  }
});

test('the sender of a mail', async () => {
  await waitingToken(system, { email: DANA.login });
  const home = await dana.get(`${system.bridgeUrl}/apps`);
  await dana.follow(await pressIn(dana, home, /Send me the link/));
  const { from } = await new PostalMime().parse(smtp.mailTo(DANA.login).raw);
  expect(from).toMatchObject({ name: NAME, address: 'no-reply@bridge.example' });
});

test.each([
  ['en', 'en'],
  ['en-gb', 'en-GB'],
  ['DE', 'de'],
  ['sr-latn-rs', 'sr-Latn-RS'],
])('%s is the language %s', (SERVICE_LANGUAGE, tag) => {
  expect(readConfig({ SERVICE_LANGUAGE }).serviceLanguage).toBe(tag);
});

test.each(['english!', 'en_GB', 'e', '"><script>', 'en '])('%j is no language', (SERVICE_LANGUAGE) => {
  expect(() => readConfig({ SERVICE_LANGUAGE })).toThrow('SERVICE_LANGUAGE: ');
});

test.each(['', ' x', 'a<b', 'a"b', 'a\nb', 'a'.repeat(61)])('%j is no name', (SERVICE_NAME) => {
  if (SERVICE_NAME === '') return expect(readConfig({ SERVICE_NAME }).serviceName).toBe('grantbridge');
  return expect(() => readConfig({ SERVICE_NAME })).toThrow('SERVICE_NAME: ');
});

test.each([
  'http://help.example',
  'javascript:alert(1)',
  'mailto:nobody',
  'help@bridge.example',
  'https://u@h.example',
])('%s is no address of help', (HELP_URL) => {
  expect(() => readConfig({ HELP_URL })).toThrow('HELP_URL: must be an https address or mailto:ADDRESS');
});
