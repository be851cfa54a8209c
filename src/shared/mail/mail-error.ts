/** What nodemailer hangs on its errors. */
interface DeliveryFailure {
  code?: string;
  responseCode?: number;
  message: string;
}

/** Said of the mail itself or its recipient: the server's words repeat the address, so they stay out of the log. */
const ABOUT_THE_MAIL = new Set(['EENVELOPE', 'EMESSAGE']);

function wordsOf({ code, responseCode, message }: DeliveryFailure): string {
  if (code === undefined || !ABOUT_THE_MAIL.has(code)) return message;
  return responseCode === undefined ? code : `${code} ${responseCode}`;
}

/** A password as it stands in the address, in the clear, or as the dialogue encodes it (RFC 4616, AUTH LOGIN). */
function spellingsOf({ user, pass }: { user: string; pass: string }): string[] {
  const encoded = [pass, `\0${user}\0${pass}`].map((text) => Buffer.from(text).toString('base64'));
  return [pass, encodeURIComponent(pass), ...encoded];
}

/**
 * A mail that was not handed over. Its message is for the log and holds neither the SMTP password nor an address; it
 * has no cause, because nodemailer's errors repeat the dialogue with the server.
 */
export class MailError extends Error {
  override readonly name = 'MailError';
  /** The server refuses this recipient for good (RFC 5321 §4.2.1, 5yz); any other failure may pass. */
  readonly isRefused: boolean;

  constructor(failure: DeliveryFailure, auth?: { user: string; pass: string }) {
    const secrets = auth ? spellingsOf(auth) : [];
    const words = secrets.reduce((text, secret) => text.replaceAll(secret, '[redacted]'), wordsOf(failure));
    super(`The mail could not be handed over: ${words}`);
    this.isRefused = failure.code === 'EENVELOPE' && (failure.responseCode ?? 0) >= 500;
  }
}
