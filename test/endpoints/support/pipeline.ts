import { once } from 'node:events';
import { connect } from 'node:net';
import type { Answered } from './expectations.ts';

/** One kept connection on which many requests are sent in one piece, so that a server reads all of them at once. */
export interface Pipeline {
  ask(requests: readonly string[]): Promise<Answered[]>;
  close(): void;
}

function answerIn(text: string): { answer: Answered; rest: string } | undefined {
  const end = text.indexOf('\r\n\r\n');
  if (end < 0) return undefined;
  const [first = '', ...lines] = text.slice(0, end).split('\r\n');
  const headers = Object.fromEntries(
    lines.map((line) => [line.split(':')[0]?.toLowerCase() ?? '', line.slice(line.indexOf(':') + 1).trim()]),
  );
  const length = Number(headers['content-length'] ?? 0);
  const body = text.slice(end + 4, end + 4 + length);
  if (body.length < length) return undefined;
  const json = /^[[{]/.test(body) ? (JSON.parse(body) as unknown) : undefined;
  const answer = { status: Number(first.split(' ')[1]), headers, text: body, json };
  return { answer, rest: text.slice(end + 4 + length) };
}

const noMore = (): void => undefined;

/** Opens one. */
export async function openPipeline({ bridgeUrl }: { bridgeUrl: string }): Promise<Pipeline> {
  const { hostname, port } = new URL(bridgeUrl);
  const socket = connect(Number(port), hostname).setNoDelay(true).setEncoding('latin1');
  await once(socket, 'connect');
  socket.on('error', () => undefined);
  let received = '';
  let more = noMore;
  socket.on('data', (part: string) => {
    received += part;
    more();
  });
  socket.once('close', () => more());
  return {
    async ask(requests) {
      socket.write(requests.join(''));
      const answers: Answered[] = [];
      while (answers.length < requests.length) {
        const found = answerIn(received);
        if (found) {
          answers.push(found.answer);
          received = found.rest;
        } else if (socket.closed) throw new Error(`the connection ended after ${answers.length} answers`);
        else await new Promise<void>((resolve) => (more = resolve));
      }
      return answers;
    },
    close: () => void socket.destroy(),
  };
}
