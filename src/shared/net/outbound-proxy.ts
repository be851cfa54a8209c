import { request } from 'node:http';
import { Agent as HttpsAgent, type AgentOptions } from 'node:https';
import { isIP, type Socket } from 'node:net';
import { connect as connectTls, type ConnectionOptions } from 'node:tls';
import { CONNECT_TIMEOUT } from '../lifetimes.ts';
import { isLoopbackHost } from './loopback.ts';

/**
 * The proxy through which this process reaches other machines over HTTPS, where a network lets nobody out without one
 * (`HTTPS_PROXY` and `NO_PROXY` of docs/operate/settings.md). It passes on bytes (CONNECT, RFC 9110 §9.3.6): TLS goes
 * through it to the other end, so it sees no token. Nothing else of the environment chooses a proxy.
 */
export interface OutboundProxy {
  /** `http://HOST:PORT`, with a user and password where the proxy wants them. A secret. */
  url: string;
  /** Hosts that are reached without it. */
  except: readonly string[];
}

/** One for a process, as its settings are. */
let proxy: OutboundProxy | undefined;

/** From here on connections of this process go through this proxy; without one, directly. */
export function goThrough(given: OutboundProxy | undefined): void {
  proxy = given;
}

interface Destination {
  host: string;
  port: number;
}

const NAME = /^(?:\*?\.)?(?<name>.*?)(?::(?<only>\d+))?$/;

/** An entry of `NO_PROXY`. An address has colons of its own, and no port. */
function exceptionOf(entry: string): { name: string; only: number | undefined } {
  if (isIP(entry) !== 0) return { name: entry, only: undefined };
  const { name = '', only } = NAME.exec(entry.toLowerCase())?.groups ?? {};
  return { name, only: only === undefined ? undefined : Number(only) };
}

const isBelow = (host: string, name: string) => isIP(host) === 0 && host.endsWith(`.${name}`);

/** A name stands for itself and for all below it, with a leading dot or star or without. */
function isExcepted(entry: string, { host, port }: Destination): boolean {
  if (entry === '*') return true;
  const { name, only = port } = exceptionOf(entry);
  return name !== '' && only === port && (host === name || isBelow(host, name));
}

/** The proxy on the way to a host; undefined where the way is direct. This machine is always reached directly. */
function proxyTo(destination: Destination): URL | undefined {
  const asked = { ...destination, host: destination.host.toLowerCase() };
  if (!proxy || isLoopbackHost(asked.host)) return undefined;
  return proxy.except.some((entry) => isExcepted(entry, asked)) ? undefined : new URL(proxy.url);
}

function credentialsOf({ username, password }: URL): Record<string, string> {
  if (username === '') return {};
  const pair = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return { 'Proxy-Authorization': `Basic ${Buffer.from(pair).toString('base64')}` };
}

/** A connection to the destination through the proxy, on which nothing was sent. */
function openTunnel(through: URL, { host, port }: Destination): Promise<Socket> {
  const authority = `${isIP(host) === 6 ? `[${host}]` : host}:${port}`;
  const { hostname, port: own } = through;
  const headers = { Host: authority, ...credentialsOf(through) };
  const address = { host: hostname.replace(/^\[|\]$/g, ''), port: Number(own) || 80 };
  return new Promise((resolve, reject) => {
    const asked = request({ ...address, method: 'CONNECT', path: authority, headers, agent: false });
    const timer = setTimeout(() => asked.destroy(new Error('the proxy does not answer')), CONNECT_TIMEOUT);
    asked.once('connect', ({ statusCode = 0 }, socket: Socket, first: Buffer) => {
      clearTimeout(timer);
      // An error ends the connection and shows as a close. An error without a listener would end the process.
      socket.on('error', () => undefined);
      if (statusCode === 200) {
        if (first.length > 0) socket.unshift(first);
        return resolve(socket.setNoDelay(true));
      }
      socket.destroy();
      return reject(new Error(`the proxy of HTTPS_PROXY answered ${statusCode}`));
    });
    asked.once('error', (error) => {
      clearTimeout(timer);
      reject(error);
    });
    asked.end();
  });
}

/** A connection to the destination through the proxy; undefined where the way is direct. */
export function connectThrough(destination: Destination): Promise<Socket> | undefined {
  const through = proxyTo(destination);
  return through && openTunnel(through, destination);
}

type CreateConnection = HttpsAgent['createConnection'];

/** An agent for HTTPS whose connections go through the proxy, where one is on the way. */
export class OutboundAgent extends HttpsAgent {
  constructor(options: AgentOptions) {
    super({ minVersion: 'TLSv1.2', ...options });
  }

  override createConnection(...[options, done]: Parameters<CreateConnection>): ReturnType<CreateConnection> {
    const tunnel = connectThrough({ host: options.host ?? '', port: Number(options.port) || 443 });
    if (!tunnel) return super.createConnection(options, done);
    tunnel.then(
      (socket) => done?.(null, connectTls({ ...(options as ConnectionOptions), socket })),
      (error: Error) => done?.(error, undefined as never),
    );
    return undefined;
  }
}
