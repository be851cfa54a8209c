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

/** Over so many connections, each with a call after the other. */
async function answeredPerSecond({ port, tokens }: FilledBridge, connections: number, seconds: number) {
  const load = { port, tokens, path: PROFILES, seconds, connections };
  const { statuses, accepted, early } = await generate(load);
  expect(Object.keys(statuses)).toEqual(['200']);
  return (accepted.calls + early.calls) / seconds;
}

/** Loads until a process has compiled what it runs often: cold, it answers half as many. */
const LOADS_AT_MOST = 8;

/**
 * Calls a second that a bridge answers, which refuses nothing. It is loaded again and again until it gets no faster, and so
 * is warm afterwards.
 */
export async function capacityOf(bridge: FilledBridge, connections = 16, seconds = 3): Promise<number> {
  let best = 0;
  for (let load = 0; load < LOADS_AT_MOST; load += 1) {
    const reached = await answeredPerSecond(bridge, connections, seconds);
    if (load > 1 && reached < 1.05 * best) return Math.max(best, reached);
    best = Math.max(best, reached);
  }
  return best;
}

/** Lets a bridge compile what it runs often. A bridge that refuses calls is warmed by a load that it accepts. */
export async function warm({ port, tokens }: FilledBridge, rate: number): Promise<void> {
  await generate({ port, tokens, path: PROFILES, seconds: 10, rate });
}

/** Everything that came back is an answer or a refusal that says when to come again. */
export function expectSoundLoad({ statuses, unexplained, cut }: LoadResult): void {
  expect(Object.keys(statuses).filter((status) => status !== '200' && status !== '503')).toEqual([]);
  expect({ unexplained, cut }).toEqual({ unexplained: 0, cut: 0 });
}
