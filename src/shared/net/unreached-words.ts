import { MailError } from '../mail/mail-error.ts';

/** Why a server could not be reached, in a sentence for the operator. Node gives only codes. */

/**
 * A code of Node or OpenSSL, or the words of their messages: some libraries replace the code with a code of their own.
 */
const WAYS: ReadonlyArray<readonly [sign: RegExp, words: string]> = [
  [
    /\bthe proxy of HTTPS_PROXY\b/,
    'the proxy of HTTPS_PROXY cannot be reached, or does not let this connection through',
  ],
  [/\bENOTFOUND\b/, 'no name server knows its host name'],
  [/\bEAI_AGAIN\b/, 'the name server does not answer'],
  [/\bECONNREFUSED\b/, 'nothing listens at the address: the server is stopped, or the port is wrong'],
  [/\b(EHOSTUNREACH|ENETUNREACH|EADDRNOTAVAIL)\b/, 'the network has no route to the server'],
  [/\bCERT_HAS_EXPIRED\b|certificate has expired/, 'its certificate has expired'],
  [/\bCERT_NOT_YET_VALID\b|certificate is not yet valid/, 'its certificate is not valid yet'],
  [/\bERR_TLS_CERT_ALTNAME_INVALID\b|altnames/, 'its certificate is for another host name'],
  [
    /SELF_SIGNED_CERT|UNABLE_TO_(GET_ISSUER|VERIFY_LEAF)|self.signed certificate|unable to (get|verify)/,
    'this machine does not trust the authority of its certificate (NODE_EXTRA_CA_CERTS names one more)',
  ],
  [/\b(EPROTO|ERR_SSL_\w+|ETLS)\b|wrong version number/, 'the server does not speak TLS correctly'],
  [/\b(ETIMEDOUT|ECONNABORTED|ERR_CANCELED)\b|[Tt]imeout|timed out/, 'the server did not answer in time'],
  [
    /\b(ECONNRESET|EPIPE)\b|socket hang up|[Cc]onnection terminated unexpectedly/,
    'the server closed the connection without an answer',
  ],
];

/** The texts of a failure that may contain a sign, from the innermost cause outwards. */
function signsOf(error: unknown, depth = 0): string[] {
  if (typeof error !== 'object' || error === null || depth > 3) return [];
  const { code, message, cause } = error as { code?: unknown; message?: unknown; cause?: unknown };
  // The message of a mail error also quotes the mail server, and the quote may hold anything.
  const words = error instanceof MailError ? error.unreached : message;
  const own = [code, words].filter((word) => typeof word === 'string').join(' ');
  return [...signsOf(cause, depth + 1), own];
}

/** The reason in words, with the code that shows it. Undefined where an answer came, or where no words are known. */
export function unreachedWords(error: unknown): string | undefined {
  for (const text of signsOf(error)) {
    const found = WAYS.find(([sign]) => sign.test(text));
    if (found === undefined) continue;
    const [sign, words] = found;
    const shown = sign.exec(text)?.[0] ?? '';
    return /^[A-Z_]+$/.test(shown) ? `${words} (${shown})` : words;
  }
  return undefined;
}
