import { existsSync, readFileSync } from 'node:fs';

const NANOSECONDS = 1e6;

/**
 * What a process has waited for a processor since its start, in milliseconds, as the kernel counts it: the second figure of
 * its main thread, in which all JavaScript runs. Undefined where the kernel does not count it.
 */
export function waitedBy(pid: number): number | undefined {
  const file = `/proc/${pid}/schedstat`;
  try {
    return existsSync(file) ? Number(readFileSync(file, 'utf8').split(' ')[1]) / NANOSECONDS : undefined;
  } catch {
    return undefined;
  }
}
