import { until } from '../../support/held-answer.ts';
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
const rowOf = (something: RegExp, rows: string) => rows.split('</tr>').find((row) => something.test(row));

/** Who answered the call of that row. */
export const markOf = (something: RegExp, rows: string) =>
  rowOf(something, rows)?.match(/badge \w+">([^<]+)/)?.[1];

/** Why it was refused, and the rest of the row. */
export const refusalOf = (something: RegExp, rows: string) =>
  rowOf(something, rows)?.split('danger">refused</span> ')[1];

/** After how many milliseconds a call is told; the best of some tries, so that what else runs on the machine decides nothing. */
export async function toldAfter(stream: EventStream, send: () => Promise<void>): Promise<number> {
  let took = Infinity;
  for (let tries = 1; took >= 1000 && tries <= 5; tries += 1) {
    const began = performance.now();
    await send();
    await stream.until('calls', tries);
    took = performance.now() - began;
  }
  return took;
}
