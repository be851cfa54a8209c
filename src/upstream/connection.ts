import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import { connect as connectTcp, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { connect as connectTls } from 'node:tls';
import { newHexId } from '../shared/ids.ts';
import { CONNECT_TIMEOUT } from '../shared/lifetimes.ts';
import { connectThrough } from '../shared/net/outbound-proxy.ts';
import type { Destination } from '../shared/net/proxy-exceptions.ts';
import type { UpstreamMetrics } from '../shared/metrics/upstream-metrics.ts';
import type { TraceContext } from '../shared/trace/trace-context.ts';
import type { Breaker } from './breaker.ts';
import { Unavailable } from './outcomes.ts';
import { type SlotProvider, takeSlot } from './token-endpoint-limit.ts';

/**
 * One connection for one request, opened before any claim. A failure here has sent no data of ours
 * (docs/decisions/0003).
 */
export interface Connection {
  /** An agent that hands out only this connection. */
  agent: HttpAgent;
  /** Whether the connection is open; false after the peer has closed it. */
  isOpen(): boolean;
  /** Resets the connection, so that a byte that is still queued on this side is not delivered late. */
  reset(): void;
  /** The trace that the request on this connection belongs to. */
  trace?: TraceContext | undefined;
}

/** Resolves at the named event. Rejects at an error, at an early close, or after the limit. */
function settled(socket: Socket, event: 'connect' | 'secureConnect', raw: Socket): Promise<void> {
  return new Promise((resolve, reject) => {
    const fail = (cause: unknown) => {
      clearTimeout(timer);
      raw.destroy();
      reject(new Unavailable('no connection to the new API', { cause }));
    };
    const timer = setTimeout(() => fail(new Error('connect timeout')), CONNECT_TIMEOUT);
    socket.once('error', fail);
    socket.once('close', () => fail(new Error('closed while connecting')));
    socket.once(event, () => {
      clearTimeout(timer);
      socket.removeAllListeners('close');
      socket.off('error', fail);
      resolve();
    });
  });
}

async function secured(raw: Socket, host: string): Promise<Socket> {
  const secure = connectTls({ socket: raw, servername: host, minVersion: 'TLSv1.2' });
  await settled(secure, 'secureConnect', raw);
  return secure;
}

/** An agent whose only connection is the given socket. */
function agentOf(socket: Duplex, isTls: boolean): HttpAgent {
  const agent = isTls ? new HttpsAgent() : new HttpAgent();
  return Object.assign(agent, { createConnection: () => socket });
}

async function connectDirectly(destination: Destination): Promise<Socket> {
  const raw = connectTcp(destination);
  raw.setNoDelay(true);
  // An error ends the connection and shows as a close. An error without a listener would end the process.
  raw.on('error', () => undefined);
  await settled(raw, 'connect', raw);
  return raw;
}

/** The proxy of the settings is for HTTPS alone. */
async function connectSecurely(destination: Destination): Promise<Socket> {
  try {
    return await (connectThrough(destination) ?? connectDirectly(destination));
  } catch (cause) {
    if (cause instanceof Unavailable) throw cause;
    throw new Unavailable('no connection to the new API', { cause });
  }
}

async function connectTo(url: string): Promise<Connection> {
  const { protocol, hostname, port } = new URL(url);
  const isTls = protocol === 'https:';
  const host = hostname.replace(/^\[|\]$/g, '');
  const destination = { host, port: Number(port) || (isTls ? 443 : 80) };
  const raw = await (isTls ? connectSecurely(destination) : connectDirectly(destination));
  const socket = isTls ? await secured(raw, host) : raw;
  socket.on('error', () => undefined);
  return {
    agent: agentOf(socket, isTls),
    // Named from the start, so that the copies which set it keep one shape.
    trace: undefined,
    isOpen: () => socket.readyState === 'open' && !socket.destroyed,
    reset: () => {
      // After this side has sent its end, a reset fails with EINVAL and Node would keep the handle for ever.
      if (!raw.destroyed && !raw.writableEnded && !socket.writableEnded) raw.resetAndDestroy();
      raw.destroy();
      socket.destroy();
    },
  };
}

/** The breaker before connections to one origin. It sees only whether connections come about. */
export type ConnectionBreaker = Breaker<Connection>;

interface ConnectionOptions {
  take?: SlotProvider;
  /** Refuses the connection while none comes about. */
  breaker?: ConnectionBreaker | undefined;
  /** Learns how long the place and the connection took. */
  noteWait?: UpstreamMetrics['noteWait'] | undefined;
}

/** Times work, whatever comes of it. */
async function timed<Result>(work: Promise<Result>, note: (milliseconds: number) => void): Promise<Result> {
  const startedAt = performance.now();
  return work.finally(() => note(performance.now() - startedAt));
}

/**
 * Opens a connection to an origin, with TLS checks for https. The caller must reset the connection when done.
 * @throws {Unavailable} nothing was sent
 */
export async function openConnection(
  url: string,
  { take = takeSlot, breaker, noteWait = () => undefined }: ConnectionOptions = {},
): Promise<Connection> {
  breaker?.check();
  const giveBack = await timed(take(), (milliseconds) => noteWait('place', milliseconds));
  try {
    const open = () => timed(connectTo(url), (milliseconds) => noteWait('connection', milliseconds));
    const connection = await (breaker ? breaker.run({ of: newHexId(), send: open }) : open());
    const reset = () => {
      connection.reset();
      giveBack();
    };
    return { ...connection, reset };
  } catch (error) {
    giveBack();
    throw error;
  }
}
