import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import type { Settings } from '../running-program.ts';

const program = resolve(import.meta.dirname, '../../../dist/program/cli.js');

/** Everything that any command wrote so far. */
export const printed: string[] = [];

interface Ended {
  code: number | null;
  output: string;
  complaints: string;
}

/** Runs the built operator's command with exactly these settings, however it ends. */
export async function run(settings: Settings, ...args: string[]): Promise<Ended> {
  const child = spawn(process.execPath, [program, ...args], {
    env: { PATH: process.env['PATH'], ...settings },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const ended = { output: '', complaints: '' };
  child.stdout.setEncoding('utf8').on('data', (text: string) => (ended.output += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (ended.complaints += text));
  const [code] = (await once(child, 'close')) as [number | null];
  printed.push(ended.output, ended.complaints);
  return { code, ...ended };
}

/** The same with `--json`: one object on one line. */
export async function runJson(
  settings: Settings,
  ...args: string[]
): Promise<{ code: number | null; json: unknown }> {
  const { code, output } = await run(settings, ...args, '--json');
  expect(output.trimEnd()).not.toContain('\n');
  return { code, json: JSON.parse(output) };
}

/** The arguments that register an app. */
export function add(name: string, callback: string, owner: string): string[] {
  return ['apps', 'add', '--name', name, '--callback', callback, '--owner', owner];
}
