import { execFile, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { transform } from '@swc/core';
import type { ExampleKind } from './shown-code.ts';

/** Runs an example as a reader would, in a process of its own. */

type Environment = Record<string, string>;

const run = promisify(execFile);

async function output(file: string, parameters: string[], env: Environment): Promise<string> {
  const { stdout } = await run(file, parameters, { env: { PATH: process.env['PATH'] ?? '', ...env } });
  return stdout;
}

/** The functions of WordPress come first, as a site loads them before its plugins. */
const WORDPRESS = ['-d', `auto_prepend_file=${join(import.meta.dirname, 'wordpress-functions.php')}`];

async function runPhp(code: string, env: Environment, options: string[] = []): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'example-'));
  const file = join(folder, 'example.php');
  writeFileSync(file, code);
  try {
    // A warning is a mistake of the example.
    return await output(
      'php',
      ['-d', 'display_errors=stderr', '-d', 'error_reporting=-1', ...options, file],
      env,
    );
  } finally {
    rmSync(folder, { recursive: true });
  }
}

async function runTypescript(code: string, env: Environment): Promise<string> {
  const jsc = { target: 'es2022', parser: { syntax: 'typescript' } } as const;
  const script = await transform(code, { swcrc: false, jsc, module: { type: 'es6' } });
  return output(process.execPath, ['--input-type=module', '-e', script.code], env);
}

const RUNNERS: Readonly<Record<ExampleKind, (code: string, env: Environment) => Promise<string>>> = {
  curl: (code, env) => output('bash', ['--norc', '-euc', code.replaceAll('curl ', 'curl -sS ')], env),
  php: (code, env) => runPhp(code, env),
  wordpress: (code, env) => runPhp(code, env, WORDPRESS),
  typescript: runTypescript,
  python: (code, env) => output('python3', ['-c', code], env),
};

/** What it printed. @throws where the process ends with another status than 0 */
export function runCode(language: ExampleKind, code: string, env: Environment): Promise<string> {
  return RUNNERS[language](code, env);
}

const COMMANDS: Partial<Record<ExampleKind, string>> = {
  curl: 'curl',
  php: 'php',
  wordpress: 'php',
  python: 'python3',
};

/** Undefined, or the command that this machine lacks for a language. */
export function missingFor(language: ExampleKind): string | undefined {
  const command = COMMANDS[language];
  if (command === undefined || spawnSync(command, ['--version']).status === 0) return undefined;
  return command;
}
