import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Duplex } from 'node:stream';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Note, Outage, Pause } from '../shared/checker/history.ts';
import { followFile } from '../shared/follow-file.ts';
import type { Trap } from './plan.ts';

const entry = new URL('../shared/programs/entry.mjs', import.meta.url).href;

interface Order {
  shift?: number;
  traps?: Array<Trap & { once?: string; database: string }>;
}

export interface CampaignBridge {
  url: string;
  /** When it could not answer, the present outage with an end in the future. */
  outages: Outage[];
  /** When it was stopped, the present pause with an end in the future. */
  pauses: Pause[];
  /** Tells the running process what to do from now on; one that is paused or gone is not told. */
  order(order: Order): Promise<void>;
  /** What the next start is told before anything else. */
  firstOrder: Order;
  /** Milliseconds from the end of the process to its next start. */
  restartAfter: number;
  kill(): void;
  /** It has been stopped by a signal, from inside. */
  notePause(note: { pid: number; at: number }): void;
  resume(): void;
  isPaused(): boolean;
  /** Resolves when it serves. */
  up(): Promise<void>;
  /** What was written to the journal since the last look. */
  newNotes(): Note[];
  /** What was logged since the last look. */
  newLog(): string;
  /** Ends it for good. */
  end(): Promise<void>;
}

interface Options {
  /** The copied build. */
  folder: string;
  index: number;
  settings: Record<string, string>;
  sabotage: string;
  /**
   * Whether its database was away by the campaign's will at any time since then: a start may meet that and end later. One
   * that serves goes on.
   */
  wasDatabaseAwaySince(time: number): boolean;
}

const FAILED_STARTS = 3;
const START_LIMIT_MS = 60_000;
const ORDER_LIMIT_MS = 2000;

function environment({ settings, sabotage }: Options, journal: string, firstOrder: Order) {
  return {
    PATH: process.env['PATH'],
    ...settings,
    CAMPAIGN_JOURNAL: journal,
    CAMPAIGN_SABOTAGE: sabotage,
    CAMPAIGN_FIRST_ORDER: JSON.stringify(firstOrder),
  };
}

async function acknowledged(channel: Duplex): Promise<void> {
  const limit = AbortSignal.timeout(ORDER_LIMIT_MS);
  await once(channel, 'data', { signal: limit }).catch(() => undefined);
}

/** A bridge that is started again, after a while, whenever it has ended. */
export function startCampaignBridge(options: Options): CampaignBridge {
  const { folder, index, settings } = options;
  const journal = join(settings['VAR_DIR'] ?? folder, `journal-${index}.ndjson`);
  const journalText = followFile(journal);
  const all: Note[] = [];
  const read = { journal: 0, log: 0 };
  let log = '';
  let isEnding = false;
  let paused = false;
  let wanted = false;
  let serves: Promise<void> = Promise.resolve();
  let failedStarts = 0;
  let hasServed = false;
  let launchedAt = 0;
  let child: ChildProcess | undefined;
  let ended: Promise<void> = Promise.resolve();

  function notes(): Note[] {
    for (const line of journalText()) all.push({ ...(JSON.parse(line) as Note), process: index });
    return all;
  }

  /** Killed by the campaign from outside, or by a trap from inside. */
  function isKilled(pid: number): boolean {
    const own = notes().filter((note) => note.pid === pid);
    return wanted || own.some((note) => note.what === 'hit' && note.action === 'kill');
  }

  const isRunning = () => child !== undefined && child.exitCode === null && child.signalCode === null;

  function endPause(): void {
    paused = false;
    const last = bridge.pauses.at(-1);
    if (last) last.until = Math.min(last.until, Date.now());
  }

  function onEnd(pid: number): void {
    endPause();
    bridge.outages.push({
      process: index,
      pid,
      from: Date.now(),
      until: Number.POSITIVE_INFINITY,
      wanted: isKilled(pid) || (!hasServed && options.wasDatabaseAwaySince(launchedAt)),
    });
    wanted = false;
    if (!isEnding) serves = startAgain();
  }

  async function launch(): Promise<void> {
    launchedAt = Date.now();
    const started = spawn(process.execPath, ['--import', entry, join(folder, 'dist/main.js')], {
      cwd: folder,
      env: environment(options, journal, bridge.firstOrder),
      stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
    });
    child = started;
    hasServed = false;
    started.stdio[3]?.on('error', () => undefined);
    started.stderr?.setEncoding('utf8').on('data', (text: string) => (log += text));
    ended = once(started, 'exit').then(() => onEnd(started.pid ?? 0));
    const serving = new Promise<void>((resolve) => {
      started.stdout?.setEncoding('utf8').on('data', (text: string) => {
        log += text;
        if (!text.includes('Stop with Ctrl-C')) return;
        hasServed = true;
        resolve();
      });
    });
    const late = delay(START_LIMIT_MS, 'late' as const, { ref: false });
    const outcome = await Promise.race([serving.then(() => 'serves' as const), ended, late]);
    const hasFailed = outcome === undefined && bridge.outages.at(-1)?.wanted === false;
    failedStarts = hasFailed ? failedStarts + 1 : 0;
    if (outcome === 'late' || failedStarts >= FAILED_STARTS)
      throw new Error(`a bridge does not start: ${log.slice(-2000)}`);
  }

  async function startAgain(): Promise<void> {
    await delay(bridge.restartAfter);
    if (isEnding) return;
    const outage = bridge.outages.at(-1);
    await launch();
    if (outage && outage === bridge.outages.at(-1)) outage.until = Date.now();
  }

  const bridge: CampaignBridge = {
    url: `http://127.0.0.1:${settings['PORT']}`,
    outages: [],
    pauses: [],
    firstOrder: {},
    restartAfter: 0,
    async order(order) {
      const channel = child?.stdio[3] as Duplex | undefined;
      if (!channel || paused || !isRunning()) return;
      const answer = acknowledged(channel);
      channel.write(`${JSON.stringify(order)}\n`);
      await answer;
    },
    kill() {
      if (!isRunning()) return;
      wanted = true;
      child?.kill('SIGKILL');
    },
    notePause({ pid, at }) {
      paused = true;
      bridge.pauses.push({ process: index, pid, from: at, until: Number.POSITIVE_INFINITY });
    },
    resume() {
      endPause();
      child?.kill('SIGCONT');
    },
    isPaused: () => paused,
    async up() {
      for (let awaited; awaited !== serves; ) {
        awaited = serves;
        await awaited;
        // A kill is known before the end that it causes.
        if (isKilled(child?.pid ?? 0)) await ended;
      }
    },
    newNotes() {
      const fresh = notes().slice(read.journal);
      read.journal = all.length;
      return fresh;
    },
    newLog() {
      const fresh = log.slice(read.log);
      read.log = log.length;
      return fresh;
    },
    async end() {
      isEnding = true;
      const last = child;
      if (!last || !isRunning()) return;
      const gone = once(last, 'exit');
      last.kill('SIGKILL');
      await gone;
    },
  };
  serves = launch();
  return bridge;
}
