import type { SendMailOptions } from 'nodemailer';
import { isMailAddress } from './address.ts';
import { MailError } from './mail-error.ts';

/** The parts of a mail, and the message made from them. */

export interface Mail {
  to: string;
  subject: string;
  /** Lines end with `\n`. */
  text: string;
  /** The name beside the sender's address. */
  sender: string;
  /** The same text in HTML. No part of the HTML is fetched. */
  html?: string | undefined;
  /** An iCalendar object (RFC 5545) to attach. */
  calendar?: string | undefined;
  /** Further headers by name, such as `List-Id`; not the headers that the mailer makes itself. */
  headers?: Readonly<Record<string, string>> | undefined;
  /**
   * The part of the Message-ID before the `@`; the sender's host follows. A mail that is handed over again keeps its
   * id, so that a server or folder that knows the mail keeps one copy.
   */
  messageId?: string | undefined;
}

/** A line break would begin a header of its own (RFC 5322 §2.2). */
function insistOnOneLine(text: string): void {
  if (/[\p{Cc}\u2028\u2029]/u.test(text))
    throw new MailError({ message: 'a header holds a control character' });
}

/** The mailer alone sets the sender, the recipient, the type and the structure. */
const OWN_HEADERS =
  /^(?:from|sender|to|cc|bcc|subject|date|message-id|mime-version|return-path|content-.*|resent-.*)$/i;

/** RFC 5322 §3.6.8, reduced to the characters that real headers use. */
const HEADER_NAME = /^[A-Za-z][A-Za-z0-9-]{0,70}$/;

function insistOnHeaders(headers: Readonly<Record<string, string>>): void {
  for (const [name, value] of Object.entries(headers)) {
    insistOnOneLine(value);
    if (!HEADER_NAME.test(name) || OWN_HEADERS.test(name))
      throw new MailError({ message: 'a header has a name that it must not have' });
  }
}

/** The id is a part of a header and the name of a file. */
function insistOnId(id: string): void {
  if (!/^[A-Za-z0-9-]{1,64}$/.test(id)) throw new MailError({ message: 'a message id is not a plain one' });
}

const attached = (calendar: string) => ({
  filename: 'dates.ics',
  content: calendar,
  // RFC 5546 §3.2.1: published to all, and no reply is expected.
  contentType: 'text/calendar; charset=utf-8; method=PUBLISH',
  // Line ends and folded lines stay unchanged.
  contentTransferEncoding: 'base64' as const,
});

const hostOf = (address: string) => address.slice(address.lastIndexOf('@') + 1);

/**
 * The message in the form of nodemailer.
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
    // An object, because a text may be parsed as a list of addresses.
    to: { name: '', address: to },
    subject,
    text,
    ...(html !== undefined && { html }),
    ...(calendar !== undefined && { attachments: [attached(calendar)] }),
    ...(messageId !== undefined && { messageId: `<${messageId}@${hostOf(from)}>` }),
    // Prevents replies by absence notices (RFC 3834 §5).
    headers: { 'Auto-Submitted': 'auto-generated', ...headers },
    xMailer: false as const,
  };
}
