import { readdirSync } from 'node:fs';
import { scrape, sumOf } from '../metrics/support/scrape.ts';
import { type FilledBridge, startFilledBridge } from './support/filled-bridge.ts';
import { tokenOf } from './support/fill.ts';
import { generate } from './support/generator.ts';
import { hold } from './support/holder.ts';
import { PROFILES } from './support/runs.ts';
import { until } from '../support/servers/held-answer.ts';

/** More connections than a process may have open (`src/http/connection-room.ts`). */

/** The limit of open files. Of them half are for callers. */
const FILES = 700;
const MOST = FILES / 2;

let bridge: FilledBridge;

beforeAll(async () => {
  bridge = await startFilledBridge({ under: ['/bin/sh', '-c', `ulimit -n ${FILES}; exec "$@"`, 'sh'] });
});

afterAll(() => bridge.stop());

/** How many files the process has open. */
const openFiles = () => readdirSync(`/proc/${bridge.process.pid()}/fd`).length;

/** How many calls were answered. */
const answered = async () =>
  sumOf(await scrape(bridge.process.url), 'grantbridge_calls_total', { outcome: 'answered' });

test('connections above the limit are closed at once, and told in the log', async () => {
  const before = openFiles();
  const holder = await hold({ port: bridge.port, how: 'silent', count: MOST + 50 });
  await until(async () => bridge.process.complaints().includes('a connection was closed at once'));
  // One that is closed at once is open for a moment.
  await until(async () => openFiles() - before <= MOST);
  expect(openFiles() - before).toBeGreaterThan(MOST - 50);
  await holder.end();
  await until(async () => openFiles() - before < 50);
  const order = { port: bridge.port, tokens: bridge.tokens, path: PROFILES, seconds: 1, connections: 1 };
  expect(Object.keys((await generate(order)).statuses)).toEqual(['200']);
});

test('where connections are nearly all taken, those that wait for their next request make room', async () => {
  const count = MOST - 50;
  const order = { port: bridge.port, how: 'kept', count, token: tokenOf(0) } as const;
  const before = await answered();
  const holders = [await hold(order)];
  await until(async () => (await answered()) - before >= count);
  holders.push(await hold(order));
  try {
    // Without more room the limit would leave fifty of them.
    await until(async () => (await answered()) - before > count + 60);
  } finally {
    await Promise.all(holders.map((holder) => holder.end()));
  }
});
