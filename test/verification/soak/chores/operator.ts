import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { SoakRun } from '../run.ts';

/** The operator's commands, at a machine that serves meanwhile. */

export interface Ended {
  code: number | null;
  /** What `--json` printed; undefined where the command broke off. */
  json: Record<string, unknown> | undefined;
  complaints: string;
}

export interface Command {
  args: readonly string[];
  settings: Readonly<Record<string, string>>;
  /** Milliseconds after which it is killed. */
  killAfter?: number;
}

function parsed(output: string): Record<string, unknown> | undefined {
  try {
    return JSON.parse(output) as Record<string, unknown>;
  } catch {
    return undefined;
  }
}

/** Runs a command of the copied build once, however it ends. */
export async function runOnce({ ground }: SoakRun, { args, settings, killAfter }: Command): Promise<Ended> {
  const program = join(ground.build, 'dist/cli.js');
  const child = spawn(process.execPath, [program, ...args, '--json'], {
    cwd: ground.build,
    // the copied build has points and notes of its own, and a command needs a place for them
    env: { PATH: process.env['PATH'], ...settings, CAMPAIGN_JOURNAL: '/dev/null' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const said = { output: '', complaints: '' };
  child.stdout.setEncoding('utf8').on('data', (text: string) => (said.output += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (said.complaints += text));
  const timer = killAfter === undefined ? undefined : setTimeout(() => child.kill('SIGKILL'), killAfter);
  const [code] = (await once(child, 'close')) as [number | null];
  clearTimeout(timer);
  return { code, json: parsed(said.output), complaints: said.complaints };
}

const TRIES = 40;
const BETWEEN_TRIES_MS = 1000;

/** Runs a command until it has done what it is there for: a database may be away, or a process about to start. */
export async function runUntilDone(
  run: SoakRun,
  command: Command,
  { tries = TRIES, isDone = ({ code }: Ended) => code === 0 } = {},
): Promise<Ended> {
  let last: Ended | undefined;
  for (let n = 0; n < tries; n += 1) {
    last = await runOnce(run, command);
    if (isDone(last)) return last;
    run.ledger.count('commands run again');
    await delay(BETWEEN_TRIES_MS);
  }
  const told = JSON.stringify(last?.json) ?? last?.complaints;
  throw new Error(`${command.args.slice(0, 2).join(' ')} is not done after ${tries} tries: ${told}`);
}
