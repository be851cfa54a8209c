/** The fields that nodemailer puts on its errors. */
interface DeliveryFailure {
  code?: string;
  responseCode?: number;
  /** The server's answer, beginning with its code. */
  response?: string;
  /** The command that the server answered. */
  command?: string;
  message: string;
}

/**
 * Failures of the mail itself or its recipient. The server's words repeat the address, so these words stay out of the
 * log.
 */
const ABOUT_THE_MAIL = new Set(['EENVELOPE', 'EMESSAGE']);

/** An enhanced code at the start of an answer (RFC 2034), or as others write the code: `550 #5.7.1 …`, `553 sorry … (#5.7.1)`. */
const ENHANCED = /^\d{3}[ -]#?(?<first>[245]\.\d{1,3}\.\d{1,3})(?: |$)|\(#(?<last>[245]\.\d{1,3}\.\d{1,3})\)/;

/** The codes of an answer; the enhanced code is empty when missing. */
function codesOf({ responseCode, response = '' }: DeliveryFailure): { basic: number; enhanced: string } {
  const { first, last } = ENHANCED.exec(response)?.groups ?? {};
  return { basic: responseCode ?? 0, enhanced: first ?? last ?? '' };
}

function wordsOf(failure: DeliveryFailure): string {
  const { code, message } = failure;
  if (code === undefined || !ABOUT_THE_MAIL.has(code)) return message;
  const { basic, enhanced } = codesOf(failure);
  return [code, basic || '', enhanced].filter((word) => word !== '').join(' ');
}

/**
 * The spellings of a password: as in the address, in the clear, and as the dialogue encodes the password (RFC 4616,
 * AUTH LOGIN).
 */
function spellingsOf({ user, pass }: { user: string; pass: string }): string[] {
  const encoded = [pass, `\0${user}\0${pass}`].map((text) => Buffer.from(text).toString('base64'));
  return [pass, encodeURIComponent(pass), ...encoded];
}

/**
 * Answers to the recipient and to the message. An answer to the sender's address or to the session is about the bridge.
 */
const TO_THE_MAIL = new Set(['RCPT TO', 'DATA']);

/** Codes for a missing mailbox (RFC 5321 §4.2.3, RFC 7504 §3.2), used when the answer has no enhanced code. */
const NO_SUCH_MAILBOX = new Set([550, 551, 552, 553, 556]);

/**
 * Words of a server that takes no mail from the bridge. Such a server answers 550 like a missing mailbox (RFC 5321 §3.6.2 and
 * §4.2.3), Exim without an enhanced code: `550 relay not permitted`, `550 Administrative prohibition`. A word too many costs a
 * delay of five days; one too few ends the reminders of everybody.
 */
const ABOUT_THE_BRIDGE =
  /\b(?:relay|prohibit|polic(?:y|ies)\b|not (?:allowed|permitted)\b|(?:un)?authenti|access denied|message rejected|sender|client host|block|black ?list|rbl\b|spam|spf\b|dkim\b|dmarc\b)/i;

/** An answer repeats addresses, which may hold any of these words. */
const isAboutBridge = ({ response = '' }: DeliveryFailure): boolean =>
  ABOUT_THE_BRIDGE.test(response.replaceAll(/\S*@\S*/g, ''));

/** RFC 3463 §3.2 and §3.3: the address and its mailbox. Codes 1.7 and 1.8 are about the sender's address. */
const ABOUT_THE_MAILBOX = /^5\.(?:1\.(?![78]$)|2\.)/;

function isAnswer({ code = '', command = '' }: DeliveryFailure): boolean {
  return ABOUT_THE_MAIL.has(code) && TO_THE_MAIL.has(command);
}

/**
 * An answer before the sender's address is accepted is about the bridge. For a mail that is too large there is no
 * answer at all, so that failure is about the mail.
 */
function isAbout({ code = '', command = '', response }: DeliveryFailure): boolean {
  return ABOUT_THE_MAIL.has(code) && (command !== 'MAIL FROM' || response === undefined);
}

/** A server that refuses has not kept the message (RFC 5321 §4.2.5). */
function isSaidNo(failure: DeliveryFailure): boolean {
  return codesOf(failure).basic >= 400;
}

/**
 * A relay that takes no mail from the bridge, or dislikes its text, answers 5yz to every recipient. Such an answer must
 * not count as a missing mailbox.
 */
function isForGood(failure: DeliveryFailure): boolean {
  if (!isAnswer(failure)) return false;
  const { basic, enhanced } = codesOf(failure);
  if (enhanced !== '') return ABOUT_THE_MAILBOX.test(enhanced);
  return NO_SUCH_MAILBOX.has(basic) && !isAboutBridge(failure);
}

/** A short reason without an address or a server's words, for people who look after mails. */
function inShort(failure: DeliveryFailure): string {
  const { basic, enhanced } = codesOf(failure);
  const codes = [basic || '', enhanced].filter((word) => word !== '').join(' ');
  if (isAnswer(failure)) return `the mail server answered ${codes}`;
  if (failure.code === undefined) return 'the mail could not be made';
  return `the mail server could not be used (${[failure.code ?? 'no code', codes].join(' ').trim()})`;
}

interface DeliveryState {
  auth?: { user: string; pass: string } | undefined;
  /** Whether the server has been given the message up to its end. */
  isWritten?: boolean;
}

/**
 * A mail that was not handed over. The message is for the log and holds neither the SMTP password nor an address. There
 * is no `cause`, because nodemailer's errors repeat the dialogue with the server.
 */
export class MailError extends Error {
  override readonly name = 'MailError';
  /** The mailbox does not exist or takes no mail (RFC 5321 §4.2.1, 5yz). Any other failure may pass. */
  readonly isRefused: boolean;
  /** Whether the failure is about this recipient or message. Otherwise the way to the server failed. */
  readonly isAboutMail: boolean;
  /** The server had the whole message and its answer is lost. Whether the mail was handed over is unknown. */
  readonly isInDoubt: boolean;
  /** No server was asked, because the mail must not be sent. */
  readonly isOurs: boolean;
  /** For people: the reason in a few words, without names. */
  readonly short: string;
  /** The machine's message when no server answered. It holds no words of a server. */
  readonly unreached: string | undefined;
  /** For operators: the reason from the message alone. */
  readonly reason: string;

  constructor(failure: DeliveryFailure, { auth, isWritten = false }: DeliveryState = {}) {
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
