import { once } from 'node:events';
import { Agent, request } from 'node:http';
import { connect } from 'node:net';

/** Requests as they are, over connections that are kept, or that are cut in the middle of a body. */

export interface Sent {
  method: string;
  path: string;
  headers: Record<string, string | string[]>;
  body: Buffer;
}

/** No request follows from an address that is left: its connections end, for the bridge would keep them for a minute. */
const IDLE_MS = 2000;

const agent = new Agent({ keepAlive: true, maxSockets: 16, timeout: IDLE_MS });

/** So long nobody waits for an answer. */
const LIMIT = 30_000;

/** How many requests in a row come from one address: fewer than the brakes on an address allow. */
const FROM_ONE_ADDRESS = 120;

let count = 0;

/** An address of the loopback network that sends; the brakes are not what is tried here. */
export function senderOf(): { localAddress: string } {
  const sender = Math.floor(count++ / FROM_ONE_ADDRESS);
  return { localAddress: `127.0.${1 + (Math.floor(sender / 250) % 250)}.${1 + (sender % 250)}` };
}

interface Answered {
  status: number;
  text: string;
}

/** The status of the answer; 0 where the connection ended without one. */
export async function send(origin: string, sent: Sent): Promise<number> {
  return (await sendWhole(origin, sent)).status;
}

/** The answer with its body; the status is 0 where the connection ended without one. */
export function sendWhole(
  origin: string,
  { method, path, headers, body }: Sent,
  limit = LIMIT,
): Promise<Answered> {
  const { hostname, port } = new URL(origin);
  const length = body.length > 0 ? { 'content-length': String(body.length) } : {};
  return new Promise((resolve, reject) => {
    const options = {
      hostname,
      port,
      method,
      path,
      headers: { ...headers, ...length },
      agent,
      ...senderOf(),
    };
    const sent = request({ ...options, timeout: limit }, (answer) => {
      const parts: Buffer[] = [];
      answer.on('error', () => undefined).on('data', (part: Buffer) => parts.push(part));
      answer.once('close', () =>
        resolve({ status: answer.statusCode ?? 0, text: Buffer.concat(parts).toString() }),
      );
    });
    sent.once('timeout', () => sent.destroy(new Error(`no answer to ${method} ${path}`)));
    sent.once('error', (error: NodeJS.ErrnoException) =>
      error.message.startsWith('no answer') ? reject(error) : resolve({ status: 0, text: '' }),
    );
    sent.end(body);
  });
}

/** Sends the head and so many bytes of the body, and cuts the connection. */
export async function sendCut(
  origin: string,
  { method, path, headers, body }: Sent,
  bytes: number,
): Promise<void> {
  const { hostname, port } = new URL(origin);
  const lines = Object.entries(headers).flatMap(([name, values]) =>
    [values].flat().map((value) => `${name}: ${value}`),
  );
  const head = [`${method} ${path} HTTP/1.1`, 'Host: b', `Content-Length: ${body.length + 1}`, ...lines];
  const socket = connect({ port: Number(port), host: hostname, ...senderOf() }).on('error', () => undefined);
  await once(socket, 'connect').catch(() => undefined);
  const written = new Promise((resolve) => {
    socket.write(`${head.join('\r\n')}\r\n\r\n`);
    socket.write(body.subarray(0, bytes), resolve);
  });
  const closed = once(socket, 'close');
  await Promise.race([written, closed]);
  socket.destroy();
  await closed;
}
