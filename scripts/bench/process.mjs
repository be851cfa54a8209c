// Programs of a benchmark: starting them, what they cost, ending them.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = fileURLToPath(new URL('.', import.meta.url));
const root = join(here, '../..');
/** Clock ticks per second of the figures in /proc, on every Linux that Node runs on. */
const TICKS = 100;

const statOf = (pid) => {
  const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
  return text.slice(text.lastIndexOf(')') + 2).split(' ');
};

function childrenOf(pid) {
  return readdirSync('/proc').filter((name) => {
    if (!/^\d+$/.test(name)) return false;
    try {
      return statOf(name)[1] === String(pid);
    } catch {
      return false;
    }
  });
}

/** The processor time of a process and its children, in milliseconds. */
export function cpuOf(pid) {
  return [String(pid), ...childrenOf(pid)].reduce((sum, one) => {
    const fields = statOf(one);
    return sum + ((Number(fields[11]) + Number(fields[12])) * 1000) / TICKS;
  }, 0);
}

/** The memory of a process and its children, in megabytes. */
export function memoryOf(pid) {
  return [String(pid), ...childrenOf(pid)].reduce((sum, one) => {
    const resident = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${one}/status`, 'utf8'));
    return sum + Number(resident?.[1] ?? 0) / 1024;
  }, 0);
}

/** Runs a program to its end; its standard output. */
export async function run(args, env = {}) {
  const child = spawn(process.execPath, args, {
    cwd: root,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (part) => (output += part));
  const [code] = await once(child, 'close');
  if (code !== 0) throw new Error(`${args.join(' ')} ended with ${code}: ${output}`);
  return output;
}

/** Starts a server and waits until `isReady` finds what it waits for in its standard output. */
export async function start(args, { env = {}, isReady, cwd = root }) {
  const child = spawn(process.execPath, args, {
    cwd,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let output = '';
  child.stdout.setEncoding('utf8');
  while (!isReady(output)) {
    const [part] = await Promise.race([
      once(child.stdout, 'data'),
      once(child, 'exit').then(() => [undefined]),
    ]);
    if (part === undefined) throw new Error(`${args.join(' ')} ended: ${output}`);
    output += part;
  }
  child.stdout.resume();
  const stop = async () => {
    child.kill('SIGTERM');
    await once(child, 'exit');
  };
  return { pid: child.pid, output, stop };
}

export const script = (name) => join(here, name);
