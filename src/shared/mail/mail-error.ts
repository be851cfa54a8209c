/** What nodemailer hangs on its errors. */
interface DeliveryFailure {
  code?: string;
  responseCode?: number;
  /** What the server said, its code first. */
  response?: string;
  /** What it said that to. */
  command?: string;
  message: string;
}

/** Said of the mail itself or its recipient: the server's words repeat the address, so they stay out of the log. */
const ABOUT_THE_MAIL = new Set(['EENVELOPE', 'EMESSAGE']);

/** The codes at the start of an answer, with the enhanced one (RFC 2034) where there is one. */
function codesOf({ responseCode, response = '' }: DeliveryFailure): { basic: number; enhanced: string } {
  const enhanced = /^\d{3}[ -]([245]\.\d{1,3}\.\d{1,3})(?: |$)/.exec(response)?.[1] ?? '';
  return { basic: responseCode ?? 0, enhanced };
}

function wordsOf(failure: DeliveryFailure): string {
  const { code, message } = failure;
  if (code === undefined || !ABOUT_THE_MAIL.has(code)) return message;
  const { basic, enhanced } = codesOf(failure);
  return [code, basic || '', enhanced].filter((word) => word !== '').join(' ');
}

/** A password as it stands in the address, in the clear, or as the dialogue encodes it (RFC 4616, AUTH LOGIN). */
function spellingsOf({ user, pass }: { user: string; pass: string }): string[] {
  const encoded = [pass, `\0${user}\0${pass}`].map((text) => Buffer.from(text).toString('base64'));
  return [pass, encodeURIComponent(pass), ...encoded];
}

/** Answers to the recipient and to the message; one to the sender's address or the session is about us. */
const TO_THE_MAIL = new Set(['RCPT TO', 'DATA']);

/** What a server refuses for want of the mailbox (RFC 5321 §4.2.3, RFC 7504 §3.2), where it does not say more exactly. */
const NO_SUCH_MAILBOX = new Set([550, 551, 552, 553, 556]);

/** RFC 3463 §3.2 and §3.3: the address and its mailbox; the seventh and eighth speak of the sender's address. */
const ABOUT_THE_MAILBOX = /^5\.(?:1\.(?![78]$)|2\.)/;

function isAnswer({ code = '', command = '' }: DeliveryFailure): boolean {
  return ABOUT_THE_MAIL.has(code) && TO_THE_MAIL.has(command);
}

/** What is said before the sender's address is taken is about us; but nothing at all was said of a mail that is too large. */
function isAbout({ code = '', command = '', response }: DeliveryFailure): boolean {
  return ABOUT_THE_MAIL.has(code) && (command !== 'MAIL FROM' || response === undefined);
}

/** A server that says no has not kept the message (RFC 5321 §4.2.5). */
function isSaidNo(failure: DeliveryFailure): boolean {
  return codesOf(failure).basic >= 400;
}

/**
 * A relay that takes nothing from us, or dislikes what we write, says 5yz to every recipient: that must not count as so
 * many mailboxes that are gone.
 */
function isForGood(failure: DeliveryFailure): boolean {
  if (!isAnswer(failure)) return false;
  const { basic, enhanced } = codesOf(failure);
  return enhanced === '' ? NO_SUCH_MAILBOX.has(basic) : ABOUT_THE_MAILBOX.test(enhanced);
}

/** In short, without an address or a server's words, for people who look after mails. */
function inShort(failure: DeliveryFailure): string {
  const { basic, enhanced } = codesOf(failure);
  const codes = [basic || '', enhanced].filter((word) => word !== '').join(' ');
  if (isAnswer(failure)) return `the mail server answered ${codes}`;
  if (failure.code === undefined) return 'the mail could not be made';
  return `the mail server could not be used (${[failure.code ?? 'no code', codes].join(' ').trim()})`;
}

interface Circumstances {
  auth?: { user: string; pass: string } | undefined;
  /** Whether the message was read to its end for the server. */
  isWritten?: boolean;
}

/**
 * A mail that was not handed over. Its message is for the log and holds neither the SMTP password nor an address; it
 * has no cause, because nodemailer's errors repeat the dialogue with the server.
 */
export class MailError extends Error {
  override readonly name = 'MailError';
  /** There is no such mailbox, or it takes nothing (RFC 5321 §4.2.1, 5yz); any other failure may pass. */
  readonly isRefused: boolean;
  /** Whether it is about this recipient or message; else it is the way to the server that fails. */
  readonly isAboutMail: boolean;
  /** The server had the whole message and its answer is lost: nobody can say whether it was handed over. */
  readonly isInDoubt: boolean;
  /** No server was asked: the mail is not one that may be sent. */
  readonly isOurs: boolean;
  /** For people: why, in a few words that name nobody. */
  readonly short: string;
  /** What the machine said where no server answered: its message holds no words of a server. */
  readonly unreached: string | undefined;
  /** For operators: the same as in the message, with nothing around it. */
  readonly reason: string;

  constructor(failure: DeliveryFailure, { auth, isWritten = false }: Circumstances = {}) {
    const secrets = auth ? spellingsOf(auth) : [];
    const words = secrets.reduce((text, secret) => text.replaceAll(secret, '[redacted]'), wordsOf(failure));
    super(`The mail could not be handed over: ${words}`);
    this.reason = words;
    this.unreached = failure.response === undefined ? words : undefined;
    this.isRefused = isForGood(failure);
    this.isAboutMail = isAbout(failure);
    this.isInDoubt = isWritten && !isSaidNo(failure);
    this.isOurs = failure.code === undefined;
    this.short = inShort(failure);
  }
}
