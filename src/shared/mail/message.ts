import type { SendMailOptions } from 'nodemailer';
import { isMailAddress } from './address.ts';
import { MailError } from './mail-error.ts';

/** What a mail is made of, and the message that it becomes. */

export interface Mail {
  to: string;
  subject: string;
  /** Lines end with `\n`. */
  text: string;
  /** The name beside the sender's address. */
  sender: string;
  /** The same said in HTML; nothing in it is fetched. */
  html?: string | undefined;
  /** An iCalendar object (RFC 5545) to attach. */
  calendar?: string | undefined;
  /** Further headers by name, such as `List-Id`; none of those that the mailer makes itself. */
  headers?: Readonly<Record<string, string>> | undefined;
  /**
   * What stands before the `@` of its Message-ID; the sender's host stands after it. The same mail handed over again has
   * the same one, so that a server, or a folder, which knows it already keeps one copy.
   */
  messageId?: string | undefined;
}

/** A line break would begin a header of its own (RFC 5322 §2.2). */
function insistOnOneLine(text: string): void {
  if (/[\p{Cc}\u2028\u2029]/u.test(text))
    throw new MailError({ message: 'a header holds a control character' });
}

/** Who it is from and to, what it is and how it is built are said in one place alone. */
const OWN_HEADERS =
  /^(?:from|sender|to|cc|bcc|subject|date|message-id|mime-version|return-path|content-.*|resent-.*)$/i;

/** RFC 5322 §3.6.8, less what no header in use has. */
const HEADER_NAME = /^[A-Za-z][A-Za-z0-9-]{0,70}$/;

function insistOnHeaders(headers: Readonly<Record<string, string>>): void {
  for (const [name, value] of Object.entries(headers)) {
    insistOnOneLine(value);
    if (!HEADER_NAME.test(name) || OWN_HEADERS.test(name))
      throw new MailError({ message: 'a header has a name that it must not have' });
  }
}

/** It is a part of a header and the name of a file. */
function insistOnId(id: string): void {
  if (!/^[A-Za-z0-9-]{1,64}$/.test(id)) throw new MailError({ message: 'a message id is not a plain one' });
}

const attached = (calendar: string) => ({
  filename: 'dates.ics',
  content: calendar,
  // RFC 5546 §3.2.1: said to everybody, and nobody answers.
  contentType: 'text/calendar; charset=utf-8; method=PUBLISH',
  // Its line ends and folded lines stay as they are.
  contentTransferEncoding: 'base64' as const,
});

const hostOf = (address: string) => address.slice(address.lastIndexOf('@') + 1);

/**
 * The message as nodemailer takes it.
 * @throws {MailError} when some part could become a header, a recipient or a part of its own
 */
export function messageOf(mail: Mail, from: string): SendMailOptions {
  const { to, subject, text, sender, html, calendar, headers = {}, messageId } = mail;
  [subject, sender].forEach(insistOnOneLine);
  insistOnHeaders(headers);
  if (messageId !== undefined) insistOnId(messageId);
  if (!isMailAddress(to)) throw new MailError({ message: 'the recipient is not one plain address' });
  return {
    from: { name: sender, address: from },
    // An object, for a text may be read as a list of addresses.
    to: { name: '', address: to },
    subject,
    text,
    ...(html !== undefined && { html }),
    ...(calendar !== undefined && { attachments: [attached(calendar)] }),
    ...(messageId !== undefined && { messageId: `<${messageId}@${hostOf(from)}>` }),
    // No answer by an absence notice (RFC 3834 §5).
    headers: { 'Auto-Submitted': 'auto-generated', ...headers },
    xMailer: false as const,
  };
}
