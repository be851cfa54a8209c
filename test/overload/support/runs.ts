import type { FilledBridge } from './filled-bridge.ts';
import { generate, type LoadResult } from './generator.ts';

/** Loads of a bridge, and what they show. */

export const PROFILES = '/1/profiles.json';

/** A line of figures among the results. */
export const print = (line: string): void => void process.stderr.write(`    ${line}\n`);

const round = (number: number) => Math.round(number * 10) / 10;

/** The figures of a load in words. */
export function wordsOf({ statuses, accepted, refused, lag }: LoadResult): string {
  const all = Object.entries(statuses).map(([status, count]) => `${count} × ${status}`);
  return (
    `${all.join(', ')}; accepted p50 ${round(accepted.p50)} ms, p99 ${round(accepted.p99)} ms, longest ` +
    `${round(accepted.most)} ms; refused p99 ${round(refused.p99)} ms; the generator itself was late by ${round(lag.p99)} ms (p99)`
  );
}

/** Calls a second that a bridge answers, which refuses nothing, over so many connections, each with a call after the other. */
export async function capacityOf(
  { port, tokens }: FilledBridge,
  connections = 16,
  seconds = 2,
): Promise<number> {
  const { statuses, accepted, early } = await generate({
    port,
    tokens,
    path: PROFILES,
    seconds,
    connections,
  });
  expect(Object.keys(statuses)).toEqual(['200']);
  return (accepted.calls + early.calls) / seconds;
}

/** Everything that came back is an answer or a refusal that says when to come again. */
export function expectSoundLoad({ statuses, unexplained, cut }: LoadResult): void {
  expect(Object.keys(statuses).filter((status) => status !== '200' && status !== '503')).toEqual([]);
  expect({ unexplained, cut }).toEqual({ unexplained: 0, cut: 0 });
}
