import { AsyncLocalStorage } from 'node:async_hooks';
import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import type { Duplex } from 'node:stream';
import { type Message, readMessage } from './message.ts';

/**
 * One request and its answer, from the bytes that went over the connection. `answer` is undefined when no answer came.
 */
export interface WireExchange {
  request: Message;
  answer: Message | undefined;
}

/** Connections to the bridge that copy all bytes, so that the page shows the real messages. */
export interface Wire {
  agent: HttpAgent;
  /** Runs `work`. The exchanges that `work` makes over `agent` can be read from the function passed to `work`. */
  record<T>(work: (exchanges: () => WireExchange[]) => T): T;
}

interface RecordedBytes {
  sent: Buffer[];
  received: Buffer[];
}

function tap(connection: Duplex): RecordedBytes {
  const recording: RecordedBytes = { sent: [], received: [] };
  const write = connection.write.bind(connection) as (...args: unknown[]) => boolean;
  connection.write = ((chunk: string | Buffer, ...rest: unknown[]) => {
    const encoding = typeof rest[0] === 'string' ? (rest[0] as BufferEncoding) : 'utf8';
    recording.sent.push(typeof chunk === 'string' ? Buffer.from(chunk, encoding) : Buffer.from(chunk));
    return write(chunk, ...rest);
  }) as typeof connection.write;
  connection.on('data', (chunk: Buffer) => recording.received.push(chunk));
  return recording;
}

function readExchange({ sent, received }: RecordedBytes): WireExchange {
  const request = readMessage(Buffer.concat(sent)) ?? { line: '', headers: '', body: '' };
  return { request, answer: readMessage(Buffer.concat(received)) };
}

/**
 * A wire to one origin. Connections are not kept alive, so each connection carries one exchange. The asynchronous
 * context that opened a connection shows which run the connection belongs to.
 */
export function createWire(origin: string): Wire {
  const running = new AsyncLocalStorage<RecordedBytes[]>();
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
      const recordings: RecordedBytes[] = [];
      return running.run(recordings, () => work(() => recordings.map(readExchange)));
    },
  };
}
