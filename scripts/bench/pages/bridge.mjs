// The bridge whose pages are measured, as one process.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { cpuOf } from '../process.mjs';
import { ask } from '../size/bridge.mjs';

const root = fileURLToPath(new URL('../../..', import.meta.url));

/** Starts it; ready when it says so. */
export async function startBridge(env) {
  const child = spawn(process.execPath, ['dist/program/cli.js', 'serve'], {
    cwd: root,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  process.once('exit', () => child.kill('SIGKILL'));
  while ((await ask(env.PORT, '/ready', { 'X-Forwarded-Proto': 'https' })).status !== 200) {
    if (child.exitCode !== null) throw new Error('the bridge ended at its start');
    await pause(50);
  }
  const stop = async () => {
    const ended = once(child, 'exit');
    child.kill('SIGTERM');
    await ended;
  };
  return { pid: child.pid, stop };
}

const REST = { everyMs: 1000, times: 5, cpuMs: 50, mostMs: 1_800_000 };

/** Waits until the bridge does nothing for some seconds. */
export async function untilAtRest({ pid }) {
  const begun = performance.now();
  for (let quiet = 0; quiet < REST.times && performance.now() - begun < REST.mostMs; ) {
    const before = cpuOf(pid);
    await pause(REST.everyMs);
    quiet = cpuOf(pid) - before <= REST.cpuMs ? quiet + 1 : 0;
  }
  const [seconds, cpu] = [performance.now() - begun, cpuOf(pid)].map((ms) => Math.round(ms / 1000));
  console.error(`at rest after ${seconds} s and ${cpu} s of CPU`);
}
