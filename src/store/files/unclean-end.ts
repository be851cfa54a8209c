import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { HOUR } from '../../shared/lifetimes.ts';

/**
 * A mark in VAR_DIR that a process of this machine ended by an error that nobody caught. Such a process takes no call any
 * more, so nobody can read its metrics. The next start tells of the end for an hour.
 */

const markIn = (varDir: string) => join(varDir, 'unclean-end');

/** Leaves the mark, at once: the process may have no further turn. Without room for the mark only the log tells. */
export function markUncleanEnd(varDir: string): void {
  try {
    writeFileSync(markIn(varDir), '', { mode: 0o600 });
  } catch {
    // The alarm of the end was written to the log.
  }
}

/** Until when the mark is told, in Unix milliseconds; 0 for a mark that no start has seen. Undefined without a mark. */
function readMark(file: string): number | undefined {
  try {
    return Number(readFileSync(file, 'utf8')) || 0;
  } catch {
    return undefined;
  }
}

/** The mark keeps its time over further starts: each of them would tell of the same end for an hour more. */
function keepTime(file: string, until: number): void {
  try {
    writeFileSync(file, String(until), { mode: 0o600 });
  } catch {
    // Then this process alone knows the time.
  }
}

/** Looks for the mark when a process begins to serve. The answer says whether the end is still to be told at `now`. */
export function openUncleanEnd(varDir: string, startedAt: number): (now: number) => boolean {
  const file = markIn(varDir);
  const told = readMark(file);
  if (told === undefined) return () => false;
  // A clock that was set back must not make the hour longer.
  const until = Math.min(told === 0 ? Number.POSITIVE_INFINITY : told, startedAt + HOUR);
  if (until <= startedAt) rmSync(file, { force: true });
  else if (until !== told) keepTime(file, until);
  return (now) => now < until;
}
