import { connect } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { until } from '../../support/servers/held-answer.ts';
import type { EventStream } from './event-stream.ts';

/** The rows that a live page is told, of programs that call themselves `cron/1.0`. */

/** The programs, in the order of the rows. */
export const agentsOf = (rows: string[]) => rows.join('\n').match(/cron\/\d\.\d/g) ?? [];

/** The programs of the calls that a stream has told, once there are so many. */
export async function agentsIn(stream: EventStream, count: number): Promise<string[]> {
  const agents = async () => agentsOf(await stream.until('calls', 1));
  await until(async () => (await agents()).length >= count);
  return agents();
}

/** The first row in which something stands. */
export const rowOf = (something: RegExp, rows: string) =>
  rows.split('</tr>').find((row) => something.test(row));

/** Who answered the call of that row. */
export const markOf = (something: RegExp, rows: string) =>
  rowOf(something, rows)?.match(/badge \w+">([^<]+)/)?.[1];

/** Why it was refused, and the rest of the row. */
export const refusalOf = (something: RegExp, rows: string) =>
  rowOf(something, rows)?.split('danger">refused</span> ')[1];

/**
 * Within how many milliseconds two calls of at most twenty are told: what else runs on the machine does not decide it, and
 * what is late as a rule does not pass.
 */
export async function toldAfter(stream: EventStream, send: () => Promise<void>): Promise<number> {
  const took: number[] = [];
  while (took.filter((time) => time < 1000).length < 2 && took.length < 20) {
    const began = performance.now();
    await send();
    await stream.until('calls', took.length + 1);
    took.push(performance.now() - began);
  }
  return took.toSorted((one, other) => one - other)[1] ?? Infinity;
}

/** Asks for a page and leaves so many milliseconds later. */
export async function askAndLeave(address: string, cookie: string, wait: number): Promise<void> {
  const { hostname, port, pathname } = new URL(address);
  const socket = connect(Number(port), hostname);
  const asked = `GET ${pathname} HTTP/1.1\r\nHost: ${hostname}:${port}\r\nCookie: ${cookie}\r\n\r\n`;
  await new Promise((sent) => socket.write(asked, sent));
  await delay(wait);
  socket.destroy();
  await delay(30);
}
