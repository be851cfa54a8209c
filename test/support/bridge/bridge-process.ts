import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

/** One process of the bridge as it is deployed: plain Node on the build, with its settings in its environment. */

const checkout = resolve(import.meta.dirname, '../../..');

const LAST_LINE = 'Stop with Ctrl-C.';
const START_LIMIT_MS = 60_000;

export type Settings = Record<string, string>;

export interface BridgeProcess {
  url: string;
  pid(): number;
  /** Whether it has not ended since its last start. */
  isRunning(): boolean;
  /** What it complained of since its last start. */
  complaints(): string;
  /** Freezes it, as a paused machine would be. */
  pause(): void;
  resume(): void;
  /** kill -9; resolves when it is gone. */
  kill(): Promise<void>;
  /** Starts it at its old address, after an end. */
  start(): Promise<void>;
  /** SIGTERM; its exit code. */
  stop(): Promise<number | null>;
}

export interface ProcessOptions {
  settings: Settings & { PORT: string };
  /** A program that runs it, with its options: strace. */
  under?: readonly string[];
  /** Where the built program is; the checkout without it. */
  folder?: string;
}

/**
 * The shell becomes the bridge; what it leaves behind kills the bridge, a paused one too, when this process is gone,
 * however that came.
 */
const WITH_US = '( (read end; kill -KILL $$) <&3 >/dev/null 2>&1 & ); exec "$@" 3<&-';

function launch({ settings, under = [], folder = checkout }: ProcessOptions) {
  const command = [...under, process.execPath, join(folder, 'dist/program/main.js')];
  const child = spawn('/bin/sh', ['-c', WITH_US, 'sh', ...command], {
    cwd: folder,
    env: { PATH: process.env['PATH'], ...settings },
    stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
  });
  const said = { output: '', complaints: '' };
  child.stdout?.setEncoding('utf8').on('data', (text: string) => (said.output += text));
  child.stderr?.setEncoding('utf8').on('data', (text: string) => (said.complaints += text));
  const ended = once(child, 'exit').then(([code]) => {
    child.stdio[3]?.destroy();
    return code as number | null;
  });
  return { child, said, ended };
}

type Launched = ReturnType<typeof launch>;

async function untilItServes({ child, said }: Launched): Promise<void> {
  const until = Date.now() + START_LIMIT_MS;
  while (!said.output.includes(LAST_LINE)) {
    if (child.exitCode !== null || child.signalCode !== null)
      throw new Error(`the bridge ended with ${child.exitCode ?? child.signalCode}: ${said.complaints}`);
    if (Date.now() > until) throw new Error(`the bridge is not ready: ${said.complaints}`);
    await delay(20);
  }
}

/** Starts one and waits until it serves. */
export async function startBridgeProcess(options: ProcessOptions): Promise<BridgeProcess> {
  let current: Launched;
  const start = async () => {
    current = launch(options);
    await untilItServes(current);
  };
  await start();
  const end = (signal: NodeJS.Signals) => {
    current.child.kill(signal);
    return current.ended;
  };
  return {
    url: `http://127.0.0.1:${options.settings.PORT}`,
    pid: () => current.child.pid ?? 0,
    isRunning: () => current.child.exitCode === null && current.child.signalCode === null,
    complaints: () => current.said.complaints,
    pause: () => void current.child.kill('SIGSTOP'),
    resume: () => void current.child.kill('SIGCONT'),
    kill: async () => void (await end('SIGKILL')),
    start,
    stop: () => end('SIGTERM'),
  };
}
