import { connect } from 'node:net';
import { once } from 'node:events';
import { setTimeout } from 'node:timers/promises';
import { type RawAnswer, type RawRequest, sendRaw } from '../../support/callers/raw-request.ts';
import { expectSound } from './expectations.ts';

interface Listening {
  bridgeUrl: string;
}

/**
 * No answer may take longer than a second of the processor (docs/threats.md). What the system counts as time of the
 * processor holds what a virtual machine waited for a real one, fifty times the work itself on a crowded host, so the
 * bound is wider: what it is there for, work that grows with the square of the input, takes minutes.
 */
const LONGEST = 5000;

/** By the clock on the wall more, since many processes share the cores of the tests. */
const LONGEST_ON_A_BUSY_MACHINE = 10_000;

function processorTime(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

/** One request, with what docs/threats.md asks of every answer: soon, and never a 500. */
export async function knock({ bridgeUrl }: Listening, request: RawRequest): Promise<RawAnswer> {
  const [started, used] = [performance.now(), processorTime()];
  const answer = await sendRaw(bridgeUrl, request);
  expect(processorTime() - used).toBeLessThan(LONGEST);
  expect(performance.now() - started).toBeLessThan(LONGEST_ON_A_BUSY_MACHINE);
  expect(answer.status).not.toBe(500);
  expectSound(answer);
  return answer;
}

/** How often a machine that is busy is asked again, with a pause that grows by so many milliseconds. */
const [ROUNDS, PAUSE] = [12, 40];

/**
 * The milliseconds of the first that is done within `bound`, or of the fastest, by the clock or by the processor, whichever
 * says less: a busy machine does not decide.
 */
export async function fastestWithin(bound: number, work: () => Promise<unknown>): Promise<number> {
  let fastest = Infinity;
  for (let round = 0; round < ROUNDS && fastest >= bound; round++) {
    await setTimeout(round * PAUSE);
    const [started, used] = [performance.now(), processorTime()];
    await work();
    fastest = Math.min(fastest, performance.now() - started, processorTime() - used);
  }
  return fastest;
}

/** Bytes as they are over a socket; everything that comes back until the other side closes. */
export async function sendBytes({ bridgeUrl }: Listening, bytes: string): Promise<string> {
  const { hostname, port } = new URL(bridgeUrl);
  const socket = connect(Number(port), hostname);
  const received: Buffer[] = [];
  socket.on('data', (part: Buffer) => received.push(part)).on('error', () => undefined);
  await once(socket, 'connect');
  // `once` would end with the error of a connection that is reset behind its answer, as Node 24 tells it.
  const closed = new Promise((resolve) => socket.once('close', resolve));
  socket.write(bytes);
  await closed;
  return Buffer.concat(received).toString('latin1');
}

/** The answer to a GET whose header lines are sent exactly as written, repeated ones included. */
export async function getWithLines(door: Listening, path: string, lines: string[]): Promise<RawAnswer> {
  const head = [`GET ${path} HTTP/1.1`, 'Host: localhost', 'Connection: close', ...lines].join('\r\n');
  const text = await sendBytes(door, `${head}\r\n\r\n`);
  const [top = '', body = ''] = text.split('\r\n\r\n', 2);
  const [status = '', ...headerLines] = top.split('\r\n');
  const headers = Object.fromEntries(
    headerLines.map((line) => [line.split(':')[0]!.toLowerCase(), line.slice(line.indexOf(':') + 1).trim()]),
  );
  const json = body.startsWith('{') || body.startsWith('[') ? (JSON.parse(body) as unknown) : undefined;
  return { status: Number(status.split(' ')[1]), headers, text: body, json };
}

/** The bridge still serves. */
export async function expectAlive(door: Listening): Promise<void> {
  expect(await sendRaw(door.bridgeUrl, { path: '/health' })).toMatchObject({ status: 200 });
}
