import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Clock } from '../../../src/shared/clock.ts';
import { SettableClock } from './settable-clock.ts';

const program = join(import.meta.dirname, '../programs/bridge.mjs');

export interface BridgeLog {
  level: string;
  stream: NodeJS.WritableStream;
}

export interface SpawnedBridge {
  pid: number;
  close(): Promise<void>;
}

type Answer = { type: 'ready' } | { type: 'failed'; message: string };

async function untilReady(child: ChildProcess): Promise<void> {
  const gone = once(child, 'exit').then(([code]): Answer => {
    return { type: 'failed', message: `the bridge ended with ${code} before it served` };
  });
  const said = once(child, 'message').then(([answer]) => answer as Answer);
  const answer = await Promise.race([said, gone]);
  if (answer.type === 'failed') throw new Error(answer.message);
}

/** A clock as a file that other processes can read, in a folder of its own. */
function shareClock(clock: Clock | undefined) {
  if (!clock) return { variables: {}, end: () => undefined };
  if (!(clock instanceof SettableClock)) throw new Error('this clock cannot be told to another process');
  const folder = mkdtempSync(join(tmpdir(), 'clock-'));
  const file = join(folder, 'now');
  const endSharing = clock.share(file);
  return {
    variables: { TEST_CLOCK_FILE: file },
    end() {
      endSharing();
      rmSync(folder, { recursive: true });
    },
  };
}

async function terminate(child: ChildProcess): Promise<void> {
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  const [code] = (await ended) as [number | null];
  if (code !== 0) throw new Error(`the bridge ended with ${code}`);
}

/** The built bridge in a process of its own, by these settings; with WORKERS in more than one. */
export async function spawnBridge(
  settings: Record<string, string>,
  { log, clock }: { log: BridgeLog; clock: Clock | undefined },
): Promise<SpawnedBridge> {
  const shared = shareClock(clock);
  const child = fork(program, [], {
    env: { PATH: process.env['PATH'], ...settings, ...shared.variables, TEST_LOG_LEVEL: log.level },
    stdio: ['ignore', 'inherit', 'pipe', 'ipc'],
    execArgv: [],
  });
  child.stderr?.on('data', (chunk: Buffer) => log.stream.write(chunk));
  try {
    await untilReady(child);
  } catch (error) {
    shared.end();
    throw error;
  }
  return {
    pid: child.pid ?? 0,
    close: () => terminate(child).finally(() => shared.end()),
  };
}
