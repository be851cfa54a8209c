import { isLoopbackHost } from '../net/loopback.ts';

/** The access to a mail server, in the form of nodemailer. */
interface SmtpServer {
  host: string;
  port?: number;
  /** TLS from the first byte; otherwise STARTTLS. */
  secure: boolean;
  requireTLS: boolean;
  ignoreTLS: boolean;
  auth?: { user: string; pass: string };
}

/** Undefined for a text with wrong percent-encoding. */
function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

/** Empty without user and password. Undefined when they cannot be used: only one is given, or the encoding is wrong. */
function authOf({ username, password }: URL): Pick<SmtpServer, 'auth'> | undefined {
  if (username === '' && password === '') return {};
  const [user, pass] = [decoded(username), decoded(password)];
  return user && pass ? { auth: { user, pass } } : undefined;
}

/** `?requireTLS=false` is the only option; undefined for any other option. */
function isTlsWaived({ protocol, search }: URL): boolean | undefined {
  if (search === '') return false;
  return protocol === 'smtp:' && search === '?requireTLS=false' ? true : undefined;
}

/** TLS from the first byte, by STARTTLS, or none on loopback; undefined for an unknown option. */
function tlsOf(url: URL): Pick<SmtpServer, 'secure' | 'requireTLS' | 'ignoreTLS'> | undefined {
  const isWaived = isTlsWaived(url);
  if (isWaived === undefined) return undefined;
  if (url.protocol === 'smtps:') return { secure: true, requireTLS: false, ignoreTLS: false };
  const isLocal = isLoopbackHost(url.hostname);
  return { secure: false, requireTLS: !isLocal && !isWaived, ignoreTLS: isLocal };
}

/**
 * Reads `smtp://USER:PASSWORD@HOST:PORT` (STARTTLS) or `smtps://…` (TLS at once), with user and password or without
 * both. Mails hold links that prove an address, so outside this machine TLS is required (RFC 3207 §6, a downgrade)
 * unless `?requireTLS=false` waives TLS. On loopback TLS is off, because a relay's certificate names no loopback.
 * @returns undefined for any other text
 */
export function readSmtpUrl(text: string): SmtpServer | undefined {
  if (!/^smtps?:\/\/[^/?#]/.test(text) || !URL.canParse(text)) return undefined;
  const url = new URL(text);
  const [auth, tls] = [authOf(url), tlsOf(url)];
  if (!auth || !tls || !/^\/?$/.test(url.pathname + url.hash)) return undefined;
  const host = url.hostname.replace(/^\[|\]$/g, '');
  return { host, ...(url.port !== '' && { port: Number(url.port) }), ...tls, ...auth };
}
