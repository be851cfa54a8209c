import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

/** The load comes from a process of its own, so that it does not wait for the test or the bridge. */

const program = join(import.meta.dirname, '../programs/generator.mjs');

export interface LoadOrder {
  port: number;
  /** A file with one token a line. */
  tokens: string;
  path: string;
  seconds: number;
  /** So many seconds at the beginning are counted apart, in `early`. */
  skip?: number;
  /** Calls a second, whatever became of those before; else so many connections, each with a call after the other. */
  rate?: number;
  connections?: number;
}

/** Milliseconds. */
interface CallTimes {
  calls: number;
  p50: number;
  p99: number;
  most: number;
}

export interface LoadResult {
  statuses: Record<string, number>;
  /** 503 without `Retry-After`. */
  unexplained: number;
  /** Calls without an answer: their connection ended, or half a minute passed. */
  cut: number;
  /** Calls for which no connection was free, of two thousand. */
  unsent: number;
  early: CallTimes;
  accepted: CallTimes;
  refused: CallTimes;
  /** How late the generator itself was: what this machine adds to every time. */
  lag: CallTimes;
  connections: number;
}

/** Runs one load to its end. */
export async function generate(order: LoadOrder): Promise<LoadResult> {
  const child = spawn(process.execPath, [program, JSON.stringify(order)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (part: string) => (output += part));
  const [code] = (await once(child, 'close')) as [number | null];
  if (code !== 0) throw new Error(`the generator ended with ${code}`);
  return JSON.parse(output) as LoadResult;
}
