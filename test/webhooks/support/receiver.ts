import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { Socket } from 'node:net';
import { certificateFor } from '../../support/servers/certificates.ts';
import { portOf } from '../../support/servers/free-port.ts';

/** The names under which the receiver may be reached. */
export const RECEIVER_NAMES = ['hooks.example', 'two.example', '127.0.0.1'];

/** A request as the receiver read it. */
export interface ReceivedMessage {
  path: string;
  headers: IncomingMessage['headers'];
  body: string;
  at: number;
}

type Answer = (response: ServerResponse, message: ReceivedMessage, socket: Socket) => void;

export interface Receiver {
  port: number;
  authority: string;
  received: ReceivedMessage[];
  /** How often a connection was opened. */
  connections(): number;
  /** What it answers from here on; 204 at first. */
  answer: Answer;
  close(): Promise<void>;
}

export const withStatus =
  (status: number, headers: Record<string, string> = {}): Answer =>
  (response) =>
    void response.writeHead(status, headers).end();

async function readBody(request: IncomingMessage): Promise<string> {
  let body = '';
  for await (const piece of request.setEncoding('utf8')) body += piece;
  return body;
}

interface ReceiverPlace {
  host?: string;
  port?: number;
  certified?: ReturnType<typeof certificateFor>;
}

/** A server with TLS that keeps what it is sent, as the server of an owner does. */
export async function startReceiver({
  host = '127.0.0.1',
  port = 0,
  certified = certificateFor(RECEIVER_NAMES),
}: ReceiverPlace = {}): Promise<Receiver> {
  const { authority, key, cert } = await certified;
  let connections = 0;
  const receiver: Pick<Receiver, 'received' | 'answer'> = { received: [], answer: withStatus(204) };
  const server = createServer({ key, cert }, (request, response) => {
    void readBody(request).then((body) => {
      const message = { path: request.url ?? '', headers: request.headers, body, at: Date.now() };
      receiver.received.push(message);
      receiver.answer(response, message, request.socket);
    });
  });
  server.on('connection', (socket) => {
    connections += 1;
    socket.on('error', () => undefined);
  });
  server.listen(port, host);
  await once(server, 'listening');
  return Object.assign(receiver, {
    port: portOf(server),
    authority,
    connections: () => connections,
    async close() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  });
}
