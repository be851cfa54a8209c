/**
 * Mail to people, plain text alone: over SMTP, or without a server as files that any mail program opens. It knows
 * nothing of who sends or why.
 */
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { createTransport } from 'nodemailer';
import { SECOND } from '../lifetimes.ts';
import { createPrivateFile } from '../private-file.ts';
import { isMailAddress } from './address.ts';
import { MailError } from './mail-error.ts';
import { readSmtpUrl } from './smtp-url.ts';

export interface MailSettings {
  /** As `readSmtpUrl` takes it; undefined: files. */
  smtpUrl?: string | undefined;
  /** The sender's plain address. */
  from: string;
  /** Where the files go, made with the first one. */
  directory: string;
}

export interface Mail {
  to: string;
  subject: string;
  /** Lines end with `\n`. */
  text: string;
  /** The name beside the sender's address. */
  sender: string;
}

export interface Mailer {
  /** Set when mails are written to files there instead of being sent. */
  directory: string | undefined;
  /** @throws {MailError} when it was not handed over */
  send(mail: Mail): Promise<void>;
}

/** Somebody waits for the page that sends, so no step takes long. */
const TIMEOUTS = {
  dnsTimeout: 5 * SECOND,
  connectionTimeout: 5 * SECOND,
  greetingTimeout: 5 * SECOND,
  socketTimeout: 10 * SECOND,
};

/** Nothing in a mail is ever fetched or read from the disk, whatever its text says. */
const CLOSED = { disableFileAccess: true, disableUrlAccess: true };

/** A line break would begin a header of its own (RFC 5322 §2.2). */
function insistOnOneLine(text: string): void {
  if (/[\p{Cc}\u2028\u2029]/u.test(text))
    throw new MailError({ message: 'a header holds a control character' });
}

function compose({ to, subject, text, sender }: Mail, from: string) {
  [subject, sender].forEach(insistOnOneLine);
  if (!isMailAddress(to)) throw new MailError({ message: 'the recipient is not one plain address' });
  return {
    from: { name: sender, address: from },
    // An object, for a text may be read as a list of addresses.
    to: { name: '', address: to },
    subject,
    text,
    // No answer by an absence notice (RFC 3834 §5).
    headers: { 'Auto-Submitted': 'auto-generated' },
    xMailer: false as const,
  };
}

function smtpMailer(smtpUrl: string, from: string): Mailer {
  const server = readSmtpUrl(smtpUrl);
  if (!server) throw new Error('SMTP_URL is not usable');
  const transport = createTransport({ ...server, ...TIMEOUTS, ...CLOSED });
  return {
    directory: undefined,
    async send(mail) {
      const message = compose(mail, from);
      try {
        await transport.sendMail(message);
      } catch (failure) {
        throw new MailError(failure as Error, server.auth);
      }
    },
  };
}

/** Sorted by time, and telling nothing of the recipient. */
function newFileName(): string {
  return `${new Date().toISOString().replaceAll(':', '-')}-${randomBytes(6).toString('hex')}.eml`;
}

function fileMailer(directory: string, from: string): Mailer {
  const transport = createTransport({ streamTransport: true, buffer: true, newline: 'windows', ...CLOSED });
  return {
    directory,
    async send(mail) {
      const message = compose(mail, from);
      try {
        const composed = await transport.sendMail(message);
        createPrivateFile(join(directory, newFileName()), (composed.message as Buffer).toString());
      } catch (failure) {
        throw new MailError(failure as Error);
      }
    },
  };
}

/**
 * One mailer for one set of settings. With `smtpUrl` a mail goes to that server; without one it becomes a complete
 * RFC 5322 file, whole or not at all, that only the owner of the process may read.
 * @throws {Error} when `smtpUrl` is not one
 */
export function createMailer({ smtpUrl, from, directory }: MailSettings): Mailer {
  return smtpUrl === undefined ? fileMailer(directory, from) : smtpMailer(smtpUrl, from);
}
