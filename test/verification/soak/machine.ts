import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Note, Outage, Pause } from '../shared/checker/history.ts';
import { followFile } from '../shared/follow-file.ts';
import { waitedBy } from '../shared/waited.ts';
import { type MachineLog, keepLog } from './machine-log.ts';

/** One machine: the built bridge with its workers, which are stopped, paused and killed by their process ids. */
export interface Machine {
  index: number;
  url: string;
  settings: Readonly<Record<string, string>>;
  log: MachineLog;
  /** When it could not answer, the present outage with an end in the future. A stop in order has no process id. */
  outages: Outage[];
  pauses: Pause[];
  /** The first process, then its workers from the eldest on; none while it is down. */
  pids(): number[];
  /** Those of them that answer calls. */
  servers(): number[];
  /** Whether a balancer sends calls there. */
  takesCalls(): boolean;
  start(workers?: number): Promise<void>;
  /** SIGTERM; resolves when the last process has ended. */
  stop(): Promise<void>;
  /** kill -9 of some of its processes; resolves when they are gone, and with the first one all. */
  kill(pids: readonly number[]): Promise<void>;
  pause(pids: readonly number[], ms: number): Promise<void>;
  newNotes(): Note[];
  /** Ends it for good. */
  close(): Promise<void>;
}

/** A database that is restarted now and then. */
export interface RestartedDatabase {
  /** How often a restart was begun. */
  restarts: number;
  /** Ends it as a crash or as an administrator does, and starts it again. */
  restart(signal: 'SIGQUIT' | 'SIGINT', meanwhile?: () => Promise<void>): Promise<void>;
  /** Resolves when it is there. */
  up(): Promise<void>;
}

export interface MachineOptions {
  index: number;
  /** The copied build. */
  build: string;
  settings: Record<string, string>;
  logFile: string;
  sabotage: string;
  drainMs: number;
  database: RestartedDatabase;
}

const entry = new URL('../shared/programs/entry.mjs', import.meta.url).href;
const vitals = new URL('./watch/programs/vitals.mjs', import.meta.url).href;

/** Beside what its processes wait for a processor. */
const START_LIMIT_MS = 90_000;
const LOOK_EVERY_MS = 20;
/** Of a stop in order: a balancer needs to notice, and a call may be on its way just when the door closes. */
const DOOR_MS = 200;

function childrenOf(pid: number): number[] {
  try {
    return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number);
  } catch {
    return [];
  }
}

function isThere(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
}

async function untilGone(pids: readonly number[]): Promise<void> {
  while (pids.some(isThere)) await delay(LOOK_EVERY_MS);
}

function launch({ build, settings, sabotage }: MachineOptions, workers: number, journal: string) {
  const env = {
    PATH: process.env['PATH'],
    ...settings,
    WORKERS: String(workers),
    NODE_OPTIONS: `--expose-gc --import ${vitals}`,
    VITALS_FILE: join(settings['VAR_DIR'] ?? '', 'vitals.ndjson'),
    CAMPAIGN_JOURNAL: journal,
    CAMPAIGN_SABOTAGE: sabotage,
  };
  // Its orders come by the last pipe, whose end is the end of the machine.
  return spawn(process.execPath, ['--import', entry, join(build, 'dist/main.js')], {
    cwd: build,
    env,
    stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
  });
}

const waitedBySome = (pids: readonly number[]): number =>
  pids.reduce((sum, pid) => sum + (waitedBy(pid) ?? 0), 0);

async function untilServing(child: ChildProcess, log: MachineLog): Promise<void> {
  const before = log.starts;
  const pid = child.pid ?? 0;
  const from = Date.now();
  while (log.starts === before) {
    if (child.exitCode !== null || child.signalCode !== null)
      throw new Error(
        `a machine ended with ${child.exitCode ?? child.signalCode} before it served: ${log.tail()}`,
      );
    if (Date.now() - from - waitedBySome([pid, ...childrenOf(pid)]) > START_LIMIT_MS)
      throw new Error(`a machine does not start: ${log.tail()}`);
    await delay(LOOK_EVERY_MS);
  }
}

/** Makes a machine, which is not started yet. */
export function createMachine(options: MachineOptions): Machine {
  const { index, settings, drainMs } = options;
  const journal = join(settings['VAR_DIR'] ?? '', `journal-${index}.ndjson`);
  const journalText = followFile(journal);
  const log = keepLog(options.logFile);
  let child: ChildProcess | undefined;
  let isWanted = false;
  let isOpen = false;

  function noteOutages(pids: readonly number[], until = Number.POSITIVE_INFINITY): void {
    const from = Date.now();
    for (const pid of pids) machine.outages.push({ process: index, pid, from, until, wanted: true });
  }

  function onEnd(pid: number): void {
    isOpen = false;
    if (isWanted) return;
    const until = Number.POSITIVE_INFINITY;
    machine.outages.push({ process: index, pid, from: Date.now(), until, wanted: false });
  }

  const isUp = () => child !== undefined && child.exitCode === null && child.signalCode === null;

  /** A start that met a restart of the database may fail, and is tried again. */
  async function startOnce(workers: number): Promise<boolean> {
    const { database } = options;
    await database.up();
    const { restarts } = database;
    const started = launch(options, workers, journal);
    child = started;
    isWanted = true;
    for (const stream of [started.stdout, started.stderr]) if (stream) log.follow(stream);
    started.stdio[3]?.on('error', () => undefined);
    started.once('exit', () => onEnd(started.pid ?? 0));
    try {
      await untilServing(started, log);
    } catch (error) {
      if (database.restarts === restarts) throw error;
      return false;
    }
    isWanted = false;
    return true;
  }

  /** The first process has started others in the place of those that ended. */
  async function untilReplaced(count: number): Promise<void> {
    while (machine.pids().length < count) await delay(LOOK_EVERY_MS);
  }

  const machine: Machine = {
    index,
    url: `http://127.0.0.1:${settings['PORT']}`,
    settings,
    log,
    outages: [],
    pauses: [],
    pids() {
      const first = child?.pid;
      return first === undefined || !isUp() ? [] : [first, ...childrenOf(first)];
    },
    servers() {
      const [first, ...workers] = machine.pids();
      return first === undefined || workers.length > 0 ? workers : [first];
    },
    takesCalls: () => isOpen,
    async start(workers = 1) {
      while (!(await startOnce(workers))) log.failedStarts += 1;
      isOpen = true;
      for (const outage of machine.outages) outage.until = Math.min(outage.until, Date.now());
    },
    async stop() {
      const pids = machine.pids();
      isWanted = true;
      child?.kill('SIGTERM');
      await delay(drainMs / 2);
      isOpen = false;
      await delay(Math.max(0, drainMs / 2 - DOOR_MS));
      noteOutages([0]);
      await untilGone(pids);
    },
    async kill(pids) {
      const isWhole = pids.includes(child?.pid ?? 0);
      const all = machine.pids();
      isWanted ||= isWhole;
      isOpen &&= !isWhole;
      // what one of several workers takes away is over at once: the others serve
      noteOutages(pids, isWhole ? undefined : Date.now());
      log.expectEnds(pids);
      for (const pid of pids) process.kill(pid, 'SIGKILL');
      await untilGone(isWhole ? all : pids);
      if (!isWhole) await untilReplaced(all.length);
    },
    async pause(pids, ms) {
      const from = Date.now();
      const made = pids.map((pid) => ({ process: index, pid, from, until: Number.POSITIVE_INFINITY }));
      machine.pauses.push(...made);
      for (const pid of pids) process.kill(pid, 'SIGSTOP');
      await delay(ms);
      for (const pid of pids.filter(isThere)) process.kill(pid, 'SIGCONT');
      for (const pause of made) pause.until = Date.now();
    },
    newNotes: () => journalText().map((line) => ({ ...(JSON.parse(line) as Note), process: index })),
    async close() {
      const pids = machine.pids();
      isWanted = true;
      for (const pid of pids) process.kill(pid, 'SIGKILL');
      await untilGone(pids);
      await log.close();
    },
  };
  return machine;
}
