import { existsSync, readFileSync } from 'node:fs';

/** What any other program of the same person can read about a process (Linux). */
export interface Visible {
  commandLine: string;
  environment: string;
}

export const canReadProcesses = existsSync(`/proc/${process.pid}/task/${process.pid}/children`);

/** The processes that this one started. */
export function childrenOf(pid: number): number[] {
  const list = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8');
  return list.split(' ').filter(Boolean).map(Number);
}

export function visibleOf(pid: number): Visible {
  return {
    commandLine: readFileSync(`/proc/${pid}/cmdline`, 'utf8'),
    environment: readFileSync(`/proc/${pid}/environ`, 'utf8'),
  };
}

export function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0) && !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
}

/** One that ends while it is looked at is none. */
function isWorker(pid: number): boolean {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('worker.js');
  } catch {
    return false;
  }
}

/** The processes among its children that serve for it. */
export function workersOf(pid: number): number[] {
  return childrenOf(pid).filter(isWorker);
}
