import { type ClientRequest, request } from 'node:http';
import { Agent as HttpsAgent, type AgentOptions } from 'node:https';
import { isIP, Socket } from 'node:net';
import { connect as connectTls, type ConnectionOptions } from 'node:tls';
import { CONNECT_TIMEOUT } from '../lifetimes.ts';
import { isLoopbackHost } from './loopback.ts';
import { type Destination, type ProxyException, readProxyException } from './proxy-exceptions.ts';

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
let proxy: { url: URL; exceptions: ProxyException[] } | undefined;

/** From here on connections of this process go through this proxy; without one, directly. */
export function goThrough(given: OutboundProxy | undefined): void {
  const exceptions = given?.except.flatMap((entry) => readProxyException(entry) ?? []) ?? [];
  proxy = given && { url: new URL(given.url), exceptions };
}

/** The proxy on the way to a host; undefined where the way is direct. This machine is always reached directly. */
function proxyTo(destination: Destination): URL | undefined {
  const asked = { ...destination, host: destination.host.toLowerCase() };
  if (!proxy || isLoopbackHost(asked.host)) return undefined;
  return proxy.exceptions.some((holds) => holds(asked)) ? undefined : proxy.url;
}

function credentialsOf({ username, password }: URL): Record<string, string> {
  if (username === '') return {};
  const pair = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return { 'Proxy-Authorization': `Basic ${Buffer.from(pair).toString('base64')}` };
}

function askForTunnel(through: URL, { host, port }: Destination): ClientRequest {
  const path = `${isIP(host) === 6 ? `[${host}]` : host}:${port}`;
  const { hostname, port: own } = through;
  const address = { host: hostname.replace(/^\[|\]$/g, ''), port: Number(own) || 80 };
  const headers = { Host: path, ...credentialsOf(through) };
  return request({ ...address, method: 'CONNECT', path, headers, agent: false });
}

/** Without the error of the library, which may hold what the proxy sent back. */
const unreached = ({ code = '', message }: NodeJS.ErrnoException) =>
  new Error(`the proxy of HTTPS_PROXY cannot be reached: ${code || message}`);

const isSuccess = (status: number) => status >= 200 && status < 300;

/** A connection to the destination through the proxy, on which nothing was sent. */
async function openTunnel(through: URL, destination: Destination): Promise<Socket> {
  const asked = askForTunnel(through, destination);
  const timer = setTimeout(() => asked.destroy(new Error('it does not answer')), CONNECT_TIMEOUT);
  try {
    return await new Promise((resolve, reject) => {
      asked.once('connect', ({ statusCode = 0 }, socket: Socket, first: Buffer) => {
        // An error ends the connection and shows as a close. An error without a listener would end the process.
        socket.on('error', () => undefined);
        if (!isSuccess(statusCode)) {
          socket.destroy();
          return reject(new Error(`the proxy of HTTPS_PROXY answered ${statusCode}`));
        }
        if (first.length > 0) socket.unshift(first);
        return resolve(socket.setNoDelay(true));
      });
      asked.on('error', (error) => reject(unreached(error)));
      asked.end();
    });
  } finally {
    clearTimeout(timer);
  }
}

/**
 * A connection to the destination through the proxy; undefined where the way is direct. Where the host of the destination
 * is an address that was looked up before, `name` is what it was looked up for: an exception for either makes the way
 * direct.
 */
export function connectThrough(
  destination: Destination,
  name = destination.host,
): Promise<Socket> | undefined {
  const through = proxyTo(destination) && proxyTo({ ...destination, host: name });
  return through && openTunnel(through, destination);
}

/** The socket of a connection that did not come about. It takes what is written, and sends nothing. */
class FailedSocket extends Socket {
  override _write(): void {}
  override _writev(): void {}
}

type CreateConnection = HttpsAgent['createConnection'];
type ConnectionDone = NonNullable<Parameters<CreateConnection>[1]>;

/**
 * Node's agent forgets the requests that wait behind one whose connection failed by the callback. So a failure is handed
 * over as a socket that fails, as the failure of a direct connection is.
 */
function failBySocket(done: ConnectionDone | undefined, error: Error): void {
  const socket = new FailedSocket();
  socket.on('error', () => undefined);
  done?.(null, socket);
  setImmediate(() => socket.destroy(error));
}

/** An agent for HTTPS whose connections go through the proxy, where one is on the way. */
export class OutboundAgent extends HttpsAgent {
  constructor(options: AgentOptions) {
    super({ minVersion: 'TLSv1.2', ...options });
  }

  override createConnection(...[options, done]: Parameters<CreateConnection>): ReturnType<CreateConnection> {
    const tunnel = connectThrough({ host: options.host ?? '', port: Number(options.port) || 443 });
    if (!tunnel) return super.createConnection(options, done);
    tunnel
      .then((socket) => connectTls({ ...(options as ConnectionOptions), socket }))
      .then(
        (secure) => done?.(null, secure),
        (error: Error) => failBySocket(done, error),
      );
    return undefined;
  }
}
