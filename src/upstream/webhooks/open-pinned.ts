import { connect as connectTcp, isIP, type Socket } from 'node:net';
import { connect as connectTls, type TLSSocket } from 'node:tls';
import { connectThrough } from '../../shared/net/outbound-proxy.ts';
import type { Destination } from '../../shared/net/proxy-exceptions.ts';
import { WebhookNotTaken } from './failure.ts';
import { hostOf } from './pinned-addresses.ts';

/** A connection with TLS to an address that was checked. The certificate has to be the one of the name. */

interface PinnedWay {
  url: URL;
  addresses: readonly string[];
  /** Trusted in the place of Node's own authorities. */
  authority: string | undefined;
  signal: AbortSignal;
}

/** Resolves at the event. Rejects at an error, an early close or the end of the time; then the socket is gone. */
function opened<Opened extends Socket>(socket: Opened, event: string, signal: AbortSignal): Promise<Opened> {
  return new Promise((resolve, reject) => {
    const fail = (error: unknown) => {
      socket.destroy();
      reject(error);
    };
    const late = () => fail(signal.reason);
    if (signal.aborted) return late();
    signal.addEventListener('abort', late, { once: true });
    socket.on('error', fail);
    socket.once('close', () => fail(new Error('closed while connecting')));
    socket.once(event, () => {
      signal.removeEventListener('abort', late);
      resolve(socket);
    });
  });
}

/** Through the proxy of the settings too the connection goes to the checked address, not to the name. */
async function connectTo(destination: Destination, { url, signal }: PinnedWay): Promise<Socket> {
  const tunnel = connectThrough(destination, hostOf(url));
  if (tunnel) return tunnel;
  return opened(connectTcp({ ...destination, noDelay: true }), 'connect', signal);
}

/** The first of the addresses that takes a connection. Nothing was sent to the others. */
async function connectToOne(way: PinnedWay): Promise<Socket> {
  const port = Number(way.url.port) || 443;
  let failed: unknown;
  for (const host of way.addresses) {
    try {
      return await connectTo({ host, port }, way);
    } catch (error) {
      failed = error;
      if (way.signal.aborted) break;
    }
  }
  throw new WebhookNotTaken('no connection came about', { cause: failed });
}

const isAboutCertificate = (error: unknown) =>
  /CERT|ALTNAME|SELF_SIGNED|UNABLE_TO_(GET|VERIFY)/.test(String((error as { code?: unknown }).code));

/**
 * Opens the connection.
 * @throws {WebhookNotTaken} nothing of the message was sent
 */
export async function openPinned(way: PinnedWay): Promise<TLSSocket> {
  const { url, authority, signal } = way;
  const raw = await connectToOne(way);
  const host = hostOf(url);
  const name = isIP(host) === 0 ? { servername: host } : {};
  const trust = authority === undefined ? {} : { ca: authority };
  const secure = connectTls({ socket: raw, host, ...name, ...trust, minVersion: 'TLSv1.2' });
  try {
    return await opened(secure, 'secureConnect', signal);
  } catch (cause) {
    raw.destroy();
    if (isAboutCertificate(cause))
      throw new WebhookNotTaken('the certificate of the server is not valid for this address', { cause });
    throw new WebhookNotTaken('no connection came about', { cause });
  }
}
