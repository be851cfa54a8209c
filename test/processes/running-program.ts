import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { promisify } from 'node:util';

const checkout = resolve(import.meta.dirname, '../..');

/** The program as `npm start` runs it, with exactly the settings that a test gives. */
export interface Program {
  process: ChildProcess;
  /** What it said on standard output, and on standard error. */
  said: { output: string; complaints: string };
  /** Its exit code, once it has ended. */
  ended: Promise<number | null>;
}

export type Settings = Record<string, string>;

/** Without an old API, unless a test gives its port: most tests look at what the bridge does alone. */
const environment = (settings: Settings) => ({
  PATH: process.env['PATH'],
  DEMO_OLD_API_PORT: '0',
  ...settings,
});

/** What `npm start` does first: a build of what stands in src now. */
export async function buildProgram(): Promise<void> {
  const options = { cwd: checkout, env: { ...process.env, NODE_ENV: 'development' } };
  await promisify(execFile)(process.execPath, ['scripts/ensure-ready.mjs', '--dev'], options);
}

export interface StartOptions {
  /** A file that is open, for its standard error. */
  stderr?: 'pipe' | number;
  /** Where the program stands; without it, this checkout. */
  folder?: string;
}

/** Starts the built program. */
export function startProgram(
  settings: Settings,
  { stderr = 'pipe', folder = checkout }: StartOptions = {},
): Program {
  const child = spawn(process.execPath, [resolve(folder, 'dist/program/main.js')], {
    cwd: folder,
    env: environment(settings),
    stdio: ['ignore', 'pipe', stderr],
    // A process group of its own, as a terminal gives it: what Ctrl-C reaches is this program and its parts.
    detached: true,
  });
  const said = { output: '', complaints: '' };
  child.stdout?.setEncoding('utf8').on('data', (text: string) => (said.output += text));
  child.stderr?.setEncoding('utf8').on('data', (text: string) => (said.complaints += text));
  return { process: child, said, ended: once(child, 'close').then(([code]) => code as number | null) };
}

/** Starts it where it is expected to give up; how it ended and what it said. */
export async function runProgram(settings: Settings): Promise<{ code: number | null; complaints: string }> {
  const { ended, said } = startProgram(settings);
  return { code: await ended, complaints: said.complaints };
}

/** Runs the operator's command of a version next to the running program; its JSON answer. */
export async function runCommand(
  settings: Settings,
  args: string[],
  folder: string = checkout,
): Promise<Record<string, string>> {
  const options = { cwd: folder, env: environment(settings) };
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ['dist/program/cli.js', ...args, '--json'],
    options,
  );
  return JSON.parse(stdout) as Record<string, string>;
}
