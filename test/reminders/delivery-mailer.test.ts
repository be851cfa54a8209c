import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import PostalMime from 'postal-mime';
import { createMailer, type Mail } from '../../src/shared/mail/mailer.ts';
import { type SmtpDoor, startSmtpServer } from '../support/servers/smtp-server.ts';

/** What reminders add to a mail, as an independent reader of mails finds it. */

const FROM = 'no-reply@sender.example';
const CALENDAR = 'BEGIN:VCALENDAR\r\nVERSION:2.0\r\nMETHOD:PUBLISH\r\nEND:VCALENDAR\r\n';

let folder: string;
let door: SmtpDoor;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'mailer-'));
  door = await startSmtpServer();
});
afterAll(async () => {
  await door.close();
  rmSync(folder, { recursive: true, force: true });
});

const mail = (overrides: Partial<Mail> = {}): Mail => ({
  to: 'somebody@box.example',
  subject: 'Łódź stops in 3 days',
  text: 'Plain “words”.\n',
  html: '<p>Words &amp; more</p>',
  sender: 'grantbridge',
  calendar: CALENDAR,
  messageId: 'abc123',
  headers: { 'List-Id': '<reminders.bridge.example>', 'X-Entity': 'one' },
  ...overrides,
});

const overSmtp = () =>
  createMailer({ smtpUrl: `smtp://127.0.0.1:${door.port}`, from: FROM, directory: folder });

test('a mail with HTML, a calendar and headers of its own is read as it was meant', async () => {
  await overSmtp().send(mail());
  const read = await PostalMime.parse(door.mailTo('somebody@box.example').raw);
  expect(read.messageId).toBe('<abc123@sender.example>');
  expect(read.subject).toBe('Łódź stops in 3 days');
  expect(read.text?.trim()).toBe('Plain “words”.');
  expect(read.html?.trim()).toBe('<p>Words &amp; more</p>');
  expect(read.attachments).toHaveLength(1);
  expect(read.attachments[0]).toMatchObject({
    filename: 'dates.ics',
    mimeType: 'text/calendar',
    method: 'PUBLISH',
  });
  // The reader makes its own of line ends; those of a calendar have to arrive as they are (RFC 5545 §3.1).
  const encoded = Buffer.from(CALENDAR).toString('base64');
  expect(door.mails[0]?.raw.replaceAll('\r\n', '')).toContain(encoded);
  const headers = Object.fromEntries(read.headers.map(({ key, value }) => [key, value]));
  expect(headers).toMatchObject({
    'list-id': '<reminders.bridge.example>',
    'auto-submitted': 'auto-generated',
    'x-entity': 'one',
  });
});

test.each<[string, Partial<Mail>]>([
  ['a header with a line break', { headers: { 'X-One': 'a\r\nBcc: victim@box.example' } }],
  ['a header with another break', { headers: { 'X-One': 'a\u2028Bcc: victim@box.example' } }],
  ['a header whose name breaks', { headers: { 'X-One: a\r\nBcc': 'victim@box.example' } }],
  ['a copy', { headers: { bcc: 'victim@box.example' } }],
  ['another recipient', { headers: { 'Resent-To': 'victim@box.example' } }],
  ['another type', { headers: { 'Content-Type': 'text/html' } }],
  ['an id that breaks', { messageId: 'a@b>\r\nBcc: victim@box.example' }],
  ['an id that is a path', { messageId: '../keys' }],
])('%s is refused, over SMTP and into files', async (_what, change) => {
  const before = door.mails.length;
  const words = /could not be handed over: a (header|message id)/;
  await expect(overSmtp().send(mail(change))).rejects.toThrow(words);
  const directory = join(folder, 'refused');
  await expect(createMailer({ from: FROM, directory }).send(mail(change))).rejects.toThrow(words);
  expect(door.mails).toHaveLength(before);
});

test('handed over twice into files, one mail with an id is one file, the first', async () => {
  const directory = join(folder, 'files');
  const mailer = createMailer({ from: FROM, directory });
  await mailer.send(mail());
  await mailer.send(mail({ subject: 'Another' }));
  expect(readdirSync(directory)).toEqual(['abc123.eml']);
  const read = await PostalMime.parse(readFileSync(join(directory, 'abc123.eml')));
  expect(read.subject).toBe('Łódź stops in 3 days');
});

test('many mails of one run share connections, and one that is refused holds up no other', async () => {
  let connections = 0;
  door.onMoment = (moment) => void (connections += moment === 'connected' ? 1 : 0);
  door.refused.add('gone@box.example');
  const run = overSmtp().openRun();
  const people = ['a', 'gone', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i'].map((name) => `${name}@box.example`);
  const ends = await Promise.allSettled(
    people.map((to, index) => run.send(mail({ to, messageId: `run-${index}` }))),
  );
  run.close();
  expect(ends.filter(({ status }) => status === 'rejected')).toHaveLength(1);
  expect(connections).toBeLessThanOrEqual(4);
  for (const to of people.filter((one) => one !== 'gone@box.example'))
    expect(door.mails.filter((one) => one.to.includes(to))).toHaveLength(1);
});

/** What a server says to the recipient, or to the message. */
const answering = (at: 'recipient' | 'message' | 'sender', responseCode: number, words: string) => {
  const fail = () => Object.assign(new Error(words), { responseCode });
  return startSmtpServer({
    ...(at === 'sender' && { onMailFrom: (_address, _session, done) => done(fail()) }),
    ...(at === 'recipient' && { onRcptTo: (_address, _session, done) => done(fail()) }),
    ...(at === 'message' && {
      onData: (stream, _session, done) => void stream.resume().on('end', () => done(fail())),
    }),
  });
};

test.each<['recipient' | 'message' | 'sender', number, string, 'refused' | 'may pass' | 'not about it']>([
  ['recipient', 550, '5.1.1 No such user', 'refused'],
  ['recipient', 552, '5.2.2 Mailbox full', 'refused'],
  ['recipient', 553, 'No such user', 'refused'],
  ['message', 550, 'No such user', 'refused'],
  ['message', 554, '5.2.1 Mailbox disabled', 'refused'],
  ['recipient', 550, '5.7.1 Your address is on a list', 'may pass'],
  ['recipient', 554, '5.7.1 Relay access denied', 'may pass'],
  ['recipient', 550, '5.1.8 Sender address rejected', 'may pass'],
  ['recipient', 550, 'relay not permitted', 'may pass'],
  ['recipient', 550, 'Administrative prohibition', 'may pass'],
  ['recipient', 550, '#5.7.1 Your access to this mail system was rejected', 'may pass'],
  ['recipient', 550, 'Access denied', 'may pass'],
  ['recipient', 550, 'Sender verify failed', 'may pass'],
  ['recipient', 550, 'listed at an RBL', 'may pass'],
  ['message', 550, 'Unauthenticated mail is not taken', 'may pass'],
  ['recipient', 553, 'sorry, that domain is not in my list of allowed hosts (#5.7.1)', 'may pass'],
  ['recipient', 550, 'sorry, no mailbox here by that name. (#5.1.1)', 'refused'],
  ['recipient', 550, 'No such user <relay@box.example>', 'refused'],
  ['message', 554, '5.6.0 Message not liked', 'may pass'],
  ['message', 451, '4.3.0 Try again', 'may pass'],
  ['recipient', 450, '4.2.1 Greylisted', 'may pass'],
  ['sender', 550, '5.1.0 Sender refused', 'not about it'],
  ['sender', 421, '4.3.2 Closing', 'not about it'],
])('%s: %s %s is %s', async (at, code, words, meaning) => {
  const server = await answering(at, code, `${words} <somebody@box.example>`);
  try {
    const mailer = createMailer({
      smtpUrl: `smtp://127.0.0.1:${server.port}`,
      from: FROM,
      directory: folder,
    });
    const failure = await mailer.send(mail()).catch((error: unknown) => error);
    expect(failure).toMatchObject({
      isRefused: meaning === 'refused',
      isAboutMail: meaning !== 'not about it',
      short: expect.stringContaining(String(code)),
    });
    expect((failure as { short: string }).short).not.toContain('box.example');
  } finally {
    await server.close();
  }
});
