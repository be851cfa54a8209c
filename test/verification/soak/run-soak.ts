import { execFile } from 'node:child_process';
import { resolve } from 'node:path';

/** `npm run soak` in a process of its own, as somebody runs it. */

const checkout = resolve(import.meta.dirname, '../../..');

export interface Ended {
  code: number;
  /** All it said, its page last. */
  said: string;
}

/** Runs one with a seed; `limit` is in milliseconds. */
export function runSoakCommand(limit: number, ...args: string[]): Promise<Ended> {
  const options = { cwd: checkout, maxBuffer: 2 ** 24, timeout: limit };
  return new Promise((done) => {
    execFile(
      process.execPath,
      ['scripts/soak.mjs', '--seed', '10', ...args],
      options,
      (error, stdout, stderr) => {
        const code = typeof error?.code === 'number' ? error.code : error ? 1 : 0;
        done({ code, said: `${stdout}${stderr}` });
      },
    );
  });
}
