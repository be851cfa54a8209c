import { AsyncLocalStorage } from 'node:async_hooks';
import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import type { Duplex } from 'node:stream';
import { type Message, readMessage } from './message.ts';

/** One request and its answer, as the bytes went over the connection; no answer when none came. */
export interface Exchange {
  request: Message;
  answer: Message | undefined;
}

/** Connections to the bridge that keep a copy of what is said, so that the page shows the wire and not a guess. */
export interface Wire {
  agent: HttpAgent;
  /** Runs `work`; the exchanges that it has over `agent` can then be read from the returned function. */
  record<T>(work: (exchanges: () => Exchange[]) => T): T;
}

interface Recording {
  sent: Buffer[];
  received: Buffer[];
}

function tap(connection: Duplex): Recording {
  const recording: Recording = { sent: [], received: [] };
  const write = connection.write.bind(connection) as (...args: unknown[]) => boolean;
  connection.write = ((chunk: string | Buffer, ...rest: unknown[]) => {
    const encoding = typeof rest[0] === 'string' ? (rest[0] as BufferEncoding) : 'utf8';
    recording.sent.push(typeof chunk === 'string' ? Buffer.from(chunk, encoding) : Buffer.from(chunk));
    return write(chunk, ...rest);
  }) as typeof connection.write;
  connection.on('data', (chunk: Buffer) => recording.received.push(chunk));
  return recording;
}

function readExchange({ sent, received }: Recording): Exchange {
  const request = readMessage(Buffer.concat(sent)) ?? { line: '', headers: '', body: '' };
  return { request, answer: readMessage(Buffer.concat(received)) };
}

/**
 * A wire to one origin. Connections are not kept alive: each carries one exchange, and which run it belongs to is
 * known from the asynchronous context that opened it.
 */
export function createWire(origin: string): Wire {
  const running = new AsyncLocalStorage<Recording[]>();
  const agent = new URL(origin).protocol === 'https:' ? new HttpsAgent() : new HttpAgent();
  const connect = agent.createConnection.bind(agent);
  agent.createConnection = (options, callback) => {
    const connection = connect(options, callback);
    if (connection) running.getStore()?.push(tap(connection));
    return connection;
  };
  return {
    agent,
    record(work) {
      const recordings: Recording[] = [];
      return running.run(recordings, () => work(() => recordings.map(readExchange)));
    },
  };
}
