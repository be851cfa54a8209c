import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { readConfig } from '../../src/config/config.ts';
import { createMailer, type Mail } from '../../src/shared/mail/mailer.ts';
import { readSmtpUrl } from '../../src/shared/mail/smtp-url.ts';
import { header, readMessage, type SmtpDoor, startSmtpServer } from '../support/servers/smtp-server.ts';

const PASSWORD = 'p@ss/word of the relay';
const FROM = 'no-reply@sender.example';

let folder: string;
let door: SmtpDoor;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'mail-test-'));
  door = await startSmtpServer({
    allowInsecureAuth: true,
    onAuth: ({ username, password }, _session, done) =>
      password === PASSWORD
        ? done(null, { user: username ?? '' })
        : done(new Error(`Wrong password ${password} for ${username}`)),
  });
});
afterAll(async () => {
  await door.close();
  rmSync(folder, { recursive: true, force: true });
});

const mail = (overrides: Partial<Mail> = {}): Mail => ({
  to: 'somebody@box.example',
  subject: 'A word about Ł',
  text: `Dear reader, “hello”.\n\nhttps://modern.example/settings/email/${'x'.repeat(60)}\n.\nFrom here on.\n`,
  sender: 'Publishing account',
  ...overrides,
});

const overSmtp = (address: string) => createMailer({ smtpUrl: address, from: FROM, directory: folder });
const local = (userInfo = '') => `smtp://${userInfo}127.0.0.1:${door.port}`;

async function failureOf(
  sending: Promise<void>,
): Promise<{ message: string; isRefused: boolean; all: string }> {
  const error = await sending.then(
    () => undefined,
    (failure: Error & { isRefused: boolean }) => failure,
  );
  if (!error) throw new Error('it was sent');
  const all = inspect(error, { depth: 9, showHidden: true });
  return { message: error.message, isRefused: error.isRefused, all };
}

test('a mail over SMTP arrives whole, with every header that a mail needs', async () => {
  await overSmtp(local(`relay:${encodeURIComponent(PASSWORD)}@`)).send(mail());
  const received = door.mailTo('somebody@box.example');
  expect(received.from).toBe(FROM);
  expect(received.text.replaceAll('\r\n', '\n').trimEnd()).toBe(mail().text.trimEnd());
  expect(header(received, 'from')).toBe(`Publishing account <${FROM}>`);
  expect(header(received, 'to')).toBe('somebody@box.example');
  expect(header(received, 'subject')).toMatch(/^=\?UTF-8\?/i);
  expect(header(received, 'message-id')).toMatch(/^<[^@<>]+@sender\.example>$/);
  expect(Date.parse(header(received, 'date') ?? '')).toBeGreaterThan(Date.now() - 60_000);
  expect(header(received, 'content-type')).toBe('text/plain; charset=utf-8');
  expect(header(received, 'auto-submitted')).toBe('auto-generated');
});

test('without a server a mail is a file that only its owner may read, named by time and chance', async () => {
  const directory = join(folder, 'outbox');
  const mailer = createMailer({ from: FROM, directory });
  await Promise.all([mailer.send(mail()), mailer.send(mail({ subject: 'Another' }))]);
  const names = readdirSync(directory);
  expect(names).toHaveLength(2);
  for (const name of names) expect(name).toMatch(/^\d{4}-\d\d-\d\dT[\d.-]+Z-[0-9a-f]{12}\.eml$/);
  expect(statSync(directory).mode & 0o777).toBe(0o700);
  const written = names.map((name) => join(directory, name));
  for (const file of written) expect(statSync(file).mode & 0o777).toBe(0o600);
  const messages = written.map((file) => readMessage(readFileSync(file, 'utf8')));
  for (const message of messages)
    expect(message.text.replaceAll('\r\n', '\n').trimEnd()).toBe(mail().text.trimEnd());
  expect(messages.map((message) => header(message, 'subject'))).toContain('Another');
});

test.each<[string, Partial<Mail>]>([
  ['the subject', { subject: 'Hello\r\nBcc: victim@box.example' }],
  ['the sender', { sender: 'Hello\nBcc: victim@box.example' }],
  ['the recipient', { to: 'a@box.example\r\nBcc: victim@box.example' }],
  ['a list of recipients', { to: 'a@box.example, victim@box.example' }],
  ['a recipient with a name', { to: 'victim@box.example <a@box.example>' }],
])('nothing is sent when %s could become a header or a recipient of its own', async (_what, change) => {
  const before = door.mails.length;
  const { message } = await failureOf(overSmtp(local()).send(mail(change)));
  expect(message).toMatch(/could not be handed over: (a header holds|the recipient is)/);
  expect(door.mails).toHaveLength(before);
});

test('signs that look like mail syntax stay inside the name', async () => {
  await overSmtp(local()).send(mail({ to: 'quotes@box.example', sender: 'Eve" <eve@box.example>, "x' }));
  const received = door.mailTo('quotes@box.example');
  expect(received.headers.filter(([name]) => name === 'from')).toHaveLength(1);
  expect(header(received, 'from')).toMatch(new RegExp(`<${FROM}>$`));
});

test('a refused recipient is told from other failures, and no address is repeated', async () => {
  door.refused.add('nobody@box.example');
  const failure = await failureOf(overSmtp(local()).send(mail({ to: 'nobody@box.example' })));
  expect(failure.isRefused).toBe(true);
  expect(failure.all).not.toContain('nobody');
});

test('a server that is down, or refuses the password, is a clear error without the password', async () => {
  const userInfo = `relay:${encodeURIComponent('Wr/ong-secret-word')}@`;
  const down = await failureOf(overSmtp(`smtp://${userInfo}127.0.0.1:1`).send(mail()));
  expect(down.message).toContain('ECONNREFUSED');
  const refused = await failureOf(overSmtp(local(userInfo)).send(mail()));
  expect(refused.message).toContain('Wrong password [redacted]');
  for (const { all, isRefused } of [down, refused]) {
    expect(isRefused).toBe(false);
    expect(all).not.toMatch(/secret-word/);
    expect(all).not.toContain(Buffer.from('Wr/ong-secret-word').toString('base64'));
  }
});

test('outside this machine TLS is insisted on', async () => {
  expect(readSmtpUrl('smtp://mail.example:587')).toMatchObject({ secure: false, requireTLS: true });
  expect(readSmtpUrl('smtp://mail.example?requireTLS=false')).toMatchObject({ requireTLS: false });
  expect(readSmtpUrl('smtps://mail.example')).toMatchObject({ secure: true });
  expect(readSmtpUrl('smtp://[::1]:25')).toMatchObject({ host: '::1', requireTLS: false });
});

test.each([
  'http://mail.example',
  'smtp://',
  'smtp://user@mail.example',
  'smtp://user:%zz@mail.example',
  'smtp://mail.example/path',
  'smtp://mail.example?tls.rejectUnauthorized=false',
  'smtps://mail.example?requireTLS=false',
])('%s is no address of a mail server', (text) => {
  expect(readSmtpUrl(text)).toBeUndefined();
});

const read = (env: Record<string, string>) => () => readConfig(env);

test('the settings are checked together, and never repeat the password', () => {
  const wrong = { SMTP_URL: 'smtp://relay:hush-hush@mail.example?pool=true', MAIL_FROM: 'no-reply' };
  expect(read(wrong)).toThrow(/SMTP_URL: must be smtp:[^]*MAIL_FROM: must be a mail address/);
  expect(read(wrong)).not.toThrow(/hush-hush/);
  expect(read({ SMTP_URL: 'smtp://mail.example' })).toThrow('MAIL_FROM: must be set for a mail server');
  const unset = readConfig({ VAR_DIR: '/srv/bridge', PUBLIC_URL: 'https://bridge.example' });
  expect(unset.mail).toEqual({ from: 'no-reply@bridge.example', directory: '/srv/bridge/mail' });
});
