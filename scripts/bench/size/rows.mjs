// The rows about size. Each takes the filled installation and answers lines: what was measured, the figure, its goal.
import { createHash } from 'node:crypto';
import { createReadStream, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { spawn } from 'node:child_process';
import { median } from '../figures.mjs';
import { cpuOf, script } from '../process.mjs';
import { isUnderWay, runWatched, startBridge, watchWork } from './bridge.mjs';
import { copyOf, settingsOf } from './ground.mjs';
import { startSink } from './sink.mjs';

/** One measured figure. */
const line = (what, figure, [unit, goal]) => ({ what, figure, goal, unit });

/** The day of the plan, by the retirement of the installation: 21:00 UTC, when it is past nine nearly everywhere. */
function dayOfPlan(days) {
  return new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10);
}

async function digestOf(file) {
  const digest = createHash('sha256');
  for await (const part of createReadStream(file)) digest.update(part);
  return digest.digest('hex').slice(0, 16);
}

/** `reminders plan --json`: everybody is due for a mail. */
export async function planRow({ ground }) {
  const varDir = await copyOf(ground, 'sealed');
  const env = await settingsOf(varDir, { WATCH_FROM: 'from "accounts"' });
  const output = join(varDir, 'plan.json');
  const args = ['dist/program/cli.js', 'reminders', 'plan', '--json', '--on', dayOfPlan(1)];
  const { cpu, memory, seconds, firstByte, gaps, statements } = await runWatched(args, env, output);
  const found = JSON.parse(readFileSync(output, 'utf8'));
  return {
    lines: [
      line('reminders plan: CPU', cpu, ['s', 20]),
      line('reminders plan: memory', memory, ['MB', 300]),
      line('reminders plan: longest gap', gaps[0]?.held ?? 0, ['ms', 50]),
      line('reminders plan: first byte', firstByte, ['s']),
      line('reminders plan: end', seconds, ['s']),
    ],
    more: {
      people: found.people.length,
      mails: found.mails,
      digest: await digestOf(output),
      gaps,
      statements,
    },
  };
}

function startProbe({ port, varDir }) {
  const child = spawn(process.execPath, [script('size/probe.mjs'), port, join(varDir, 'tokens.txt')], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (part) => (output += part));
  const ended = new Promise((resolve) => child.once('close', () => resolve(JSON.parse(output))));
  return () => {
    child.stdin.end();
    return ended;
  };
}

const SCRAPE_EVERY = 15_000;

async function until(isTrue, every) {
  do await pause(every);
  while (!(await isTrue()));
}

/** A bridge after an import does everything that it does by itself, while a program reads and Prometheus scrapes. */
export async function gapRow({ ground }) {
  const varDir = await copyOf(ground, 'imported');
  const sink = await startSink();
  const others = { SMTP_URL: sink.url, LEGACY_BACKEND_URL: 'https://old.example' };
  const env = await settingsOf(varDir, others);
  const bridge = await startBridge(env);
  process.kill(bridge.pid, 'SIGUSR2');
  const isDone = await watchWork(env);
  const endProbe = startProbe({ ...bridge, varDir });
  await until(isDone, SCRAPE_EVERY);
  await pause(60_000);
  const probe = await endProbe();
  const { watched } = await bridge.stop();
  const mails = await sink.stop();
  const { gaps, statements, delay, memory, cpu, heldLong } = watched;
  return {
    lines: [
      line('background work: longest gap', gaps[0]?.held ?? 0, ['ms', 50]),
      line('background work: longest statement', statements[0]?.held ?? 0, ['ms', 50]),
      line('background work: a read beside it, p50', probe.p50, ['ms']),
      line('background work: a read beside it, p99', probe.p99, ['ms']),
      line('background work: a read beside it, longest', probe.max, ['ms']),
    ],
    more: { probe, mails, cpu, memory, delay, heldLong, gaps, statements },
  };
}

const STOPPED_BESIDE = [
  { name: 'nothing', kind: 'sealed', goal: 1 },
  { name: 'job plan-reminders', kind: 'sealed', goal: 2 },
  { name: 'job keep-progress', kind: 'sealed', goal: 2 },
  { name: 'history', kind: 'imported', goal: 2 },
];

/** Looks often, for a work that begins at the start of a bridge. A small installation may have done it already. */
async function isSoon(isTrue) {
  const end = performance.now() + 60_000;
  while (performance.now() < end) {
    if (await isTrue()) return true;
    await pause(20);
  }
  return false;
}

/** SIGTERM beside each long work, and to a process that has ended its work. */
export async function stopRow({ ground }) {
  const lines = [];
  for (const { name, kind, goal } of STOPPED_BESIDE) {
    const varDir = await copyOf(ground, kind);
    const env = await settingsOf(varDir);
    const bridge = await startBridge(env);
    const isIdle = await watchWork(env);
    const isTime = async () => isUnderWay(varDir, name);
    if (name === 'nothing') await until(isIdle, SCRAPE_EVERY);
    else if (!(await isSoon(isTime))) {
      await bridge.stop();
      continue;
    }
    await pause(500);
    const { code, seconds } = await bridge.stop();
    if (code !== 0) throw new Error(`the bridge ended with ${code}`);
    lines.push(line(`stop beside ${name}`, seconds, ['s', goal]));
  }
  return { lines, more: {} };
}

const STARTS = 3;

/** Until a token is answered. */
export async function startRow({ ground }) {
  const varDir = await copyOf(ground, 'sealed');
  const [times, cpu] = [[], []];
  for (let round = 0; round < STARTS; round += 1) {
    const bridge = await startBridge(await settingsOf(varDir));
    times.push(bridge.servesAfter);
    cpu.push(cpuOf(bridge.pid) / 1000);
    await bridge.stop();
  }
  const lines = [
    line('start: serves after', median(times), ['s', 3]),
    line('start: CPU until it serves', median(cpu), ['s']),
  ];
  return { lines, more: { times, cpu } };
}
