import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { ChaosRun } from '../run.ts';

/** What processes hold of the machine, and which are there (Linux). */

export interface ChaosVitals {
  /** Bytes that each part has of the machine: both bridges, the balancer, the new API. */
  bridges: number;
  balancer: number;
  modern: number;
  /** Bytes in the folders of the bridges, and of the database. */
  disk: number;
  database: number;
  /** Connections to the database. */
  connections: number;
}

function residentOf(pid: number): number {
  const status = existsSync(`/proc/${pid}/status`) ? readFileSync(`/proc/${pid}/status`, 'utf8') : '';
  return Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1] ?? 0) * 1024;
}

function bytesIn(folder: string): number {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((one) => one.isFile());
  // a file that is removed meanwhile is none
  return files.reduce((sum, { parentPath, name }) => {
    return sum + (statSync(join(parentPath, name), { throwIfNoEntry: false })?.size ?? 0);
  }, 0);
}

export async function lookAtVitals({ topology, database }: ChaosRun): Promise<ChaosVitals> {
  const { machines, balancer, modern } = topology;
  const { connections, bytes } = await database.figures();
  return {
    bridges: machines.reduce((sum, machine) => sum + residentOf(machine.pid()), 0),
    balancer: residentOf(balancer.pid),
    modern: residentOf(modern.pid),
    disk: machines.reduce((sum, { settings }) => sum + bytesIn(String(settings['VAR_DIR'])), 0),
    database: bytes,
    connections,
  };
}

function read(pid: string, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8');
  } catch {
    return '';
  }
}

/** What Node runs; the shell that watches over a bridge has its command line too. */
const isProgram = (commandLine: string) =>
  commandLine.startsWith(process.execPath) && commandLine.includes('dist/program/');

/** The process ids of all bridges and commands that have a folder of this chaos in their environment. */
export function processesOf(folder: string): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => read(pid, 'environ').includes(folder) && isProgram(read(pid, 'cmdline')))
    .map(Number);
}

/** A start of the bridges and one more command: what connects to the database at most. */
const MOST_CONNECTIONS = 40;
const MEGABYTE = 1024 * 1024;
const MOST_DISK = 4 * MEGABYTE;
const MOST_GROWTH = 60 * MEGABYTE;

const median = (values: readonly number[]) =>
  values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? 0;

/** Behind the warm-up and at the end: the medians of the second and the last quarter of the rounds. */
export function growthOf(
  all: readonly ChaosVitals[],
  name: keyof ChaosVitals,
): { warm: number; end: number } {
  const values = all.map((each) => each[name]);
  const quarter = Math.max(1, Math.floor(values.length / 4));
  return { warm: median(values.slice(quarter, 2 * quarter)), end: median(values.slice(-quarter)) };
}

/** Too few rounds tell growth from a warm-up. */
const ENOUGH_ROUNDS = 40;

/** What is wrong with them. */
export function judgeChaosVitals(all: readonly ChaosVitals[]): string[] {
  const found = all.flatMap(({ connections, disk }) => [
    ...(connections > MOST_CONNECTIONS ? [`${connections} connections to the database`] : []),
    ...(disk > MOST_DISK ? [`${Math.round(disk / MEGABYTE)} MB in the folders of the bridges`] : []),
  ]);
  if (all.length < ENOUGH_ROUNDS) return found.slice(0, 3);
  const grown = (['bridges', 'balancer', 'modern'] as const).flatMap((name) => {
    const { warm, end } = growthOf(all, name);
    const words = `${name}: ${Math.round(warm / MEGABYTE)} MB after the warm-up, ${Math.round(end / MEGABYTE)} MB at the end`;
    return end - warm > MOST_GROWTH ? [words] : [];
  });
  return [...found.slice(0, 3), ...grown];
}
