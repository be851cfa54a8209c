import { isLoopbackHost } from '../net/loopback.ts';

/** How to reach a mail server, as nodemailer takes it. */
interface SmtpServer {
  host: string;
  port?: number;
  /** TLS from the first byte; otherwise STARTTLS. */
  secure: boolean;
  requireTLS: boolean;
  ignoreTLS: boolean;
  auth?: { user: string; pass: string };
}

/** Undefined for a text that is not percent-encoded as it should be. */
function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

/** Empty without either, undefined when they cannot be used: one without the other, or badly encoded. */
function authOf({ username, password }: URL): Pick<SmtpServer, 'auth'> | undefined {
  if (username === '' && password === '') return {};
  const [user, pass] = [decoded(username), decoded(password)];
  return user && pass ? { auth: { user, pass } } : undefined;
}

/** `?requireTLS=false` is the one option; undefined when there is another. */
function isTlsWaived({ protocol, search }: URL): boolean | undefined {
  if (search === '') return false;
  return protocol === 'smtp:' && search === '?requireTLS=false' ? true : undefined;
}

/** TLS from the first byte, by STARTTLS, or on loopback none; undefined for an option that there is not. */
function tlsOf(url: URL): Pick<SmtpServer, 'secure' | 'requireTLS' | 'ignoreTLS'> | undefined {
  const isWaived = isTlsWaived(url);
  if (isWaived === undefined) return undefined;
  if (url.protocol === 'smtps:') return { secure: true, requireTLS: false, ignoreTLS: false };
  const isLocal = isLoopbackHost(url.hostname);
  return { secure: false, requireTLS: !isLocal && !isWaived, ignoreTLS: isLocal };
}

/**
 * Reads `smtp://USER:PASSWORD@HOST:PORT` (STARTTLS) or `smtps://…` (TLS at once); user and password together or not at
 * all. What travels holds links that prove an address, so outside this machine TLS is insisted on (RFC 3207 §6, a
 * downgrade) unless `?requireTLS=false` waives it. On loopback a relay's certificate names no loopback, so none is used.
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
