import { request } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import type { CookieWalker } from '../../support/callers/cookie-walker.ts';

/** A browser's EventSource, read from its socket. */

interface SeenEvent {
  name: string;
  data: string;
}

export interface EventStream {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  events: SeenEvent[];
  /** What it would send as Last-Event-ID. */
  lastId(): string | undefined;
  /** Resolves with the events of a name once there are so many. */
  until(name: string, count: number): Promise<string[]>;
  /** Resolves when the server has ended it. */
  ended: Promise<void>;
  cut(): void;
}

function eventOf(block: string): SeenEvent & { id: string | undefined } {
  const values = (field: string) =>
    block
      .split('\n')
      .filter((line) => line.startsWith(`${field}: `))
      .map((line) => line.slice(field.length + 2));
  return { name: values('event')[0] ?? '', id: values('id')[0], data: values('data').join('\n') };
}

const PATIENCE = 30_000;

/** Opens an address in a browser's session. */
export function openEventStream(
  browser: CookieWalker,
  url: string,
  headers: Record<string, string> = {},
): Promise<EventStream> {
  return new Promise((resolve, reject) => {
    const cookie = browser.cookieHeader(url);
    const sent = request(url, { headers: { ...headers, ...(cookie !== '' && { cookie }) } }, (answer) => {
      const events: SeenEvent[] = [];
      let [text, lastId] = ['', undefined as string | undefined];
      answer.setEncoding('utf8');
      answer.on('data', (piece: string) => {
        const blocks = (text + piece).split('\n\n');
        text = blocks.pop() ?? '';
        for (const { id, ...event } of blocks.filter((block) => block.includes('event: ')).map(eventOf)) {
          lastId = id ?? lastId;
          events.push(event);
        }
      });
      const ended = new Promise<void>((done) => {
        answer.once('close', done);
        answer.once('error', () => done());
      });
      resolve({
        status: answer.statusCode ?? 0,
        headers: answer.headers,
        events,
        lastId: () => lastId,
        async until(name, count) {
          const end = Date.now() + PATIENCE;
          for (;;) {
            const found = events.filter((event) => event.name === name).map(({ data }) => data);
            if (found.length >= count) return found;
            if (Date.now() > end) throw new Error(`no ${count} events ${name} in: ${JSON.stringify(events)}`);
            await delay(20);
          }
        },
        ended,
        cut: () => sent.destroy(),
      });
    });
    sent.once('error', reject);
    sent.end();
  });
}
