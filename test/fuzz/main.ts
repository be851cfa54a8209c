import { chanceOf } from '../verification/shared/faults/chance.ts';
import { CHANNELS } from '../posts/support/posts.ts';
import { issueToken } from '../support/callers/legacy-calls.ts';
import { rawForm, sendRaw } from '../support/callers/raw-request.ts';
import type { System } from '../support/bridge/system.ts';
import { type Ground, startGround } from './ground.ts';
import type { Memory } from './memory.ts';
import { type FuzzOptions, readOptions } from './options.ts';
import { randomRequest, type Valid } from './random-request.ts';
import { sendCut, sendWhole } from './send.ts';

/**
 * Sends many requests of every kind to a bridge in a process of its own: none may end the process, be answered with 500,
 * or leave memory behind.
 */

const say = (text: string): void => void process.stdout.write(`${text}\n`);

const LANES = 8;
/** How often memory is asked for. */
const LOOKS = 50;
const CUT = 0.05;

/**
 * Memory is compared where a run is long enough to tell growth from a warm-up. What a process holds differs by a few
 * megabytes with how many connections and minutes of counts it has at the moment.
 */
const LONG = 20_000;
const MOST_GROWTH = 8 * 1024 * 1024;

interface Run {
  ground: Ground;
  options: FuzzOptions;
  valid: Valid;
  statuses: Map<string, number>;
  failures: string[];
  /** In the order of the requests. */
  memory: Memory[];
}

function count({ statuses }: Run, name: string): void {
  statuses.set(name, (statuses.get(name) ?? 0) + 1);
}

async function sendOne(run: Run, index: number): Promise<void> {
  const { ground, options, valid } = run;
  const chance = chanceOf(options.seed, index);
  const request = randomRequest({ chance, valid });
  if (chance.happens(CUT)) {
    await sendCut(ground.bridge.url, request, chance.between(0, request.body.length));
    return count(run, 'cut');
  }
  const { status, text } = await sendWhole(ground.bridge.url, request);
  count(run, String(status));
  if (status === 500)
    run.failures.push(`request ${index} was answered with 500: ${request.method} ${request.path}: ${text}`);
}

async function sendAll(run: Run): Promise<void> {
  const { requests } = run.options;
  const every = Math.max(1, Math.floor(requests / LOOKS));
  let next = 0;
  const lane = async () => {
    while (next < requests) {
      const index = next++;
      if (index % every === 0) run.memory.push(await run.ground.memory());
      await sendOne(run, index);
    }
  };
  await Promise.all(Array.from({ length: LANES }, lane));
}

function median(values: readonly number[]): number {
  return values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? 0;
}

/** After the warm-up, and at the end. */
function heldOf({ memory }: Run): { warm: number; end: number } {
  const held = memory.map((one) => one.held);
  const fifth = Math.ceil(held.length / 5);
  return { warm: median(held.slice(fifth, 2 * fifth)), end: median(held.slice(-fifth)) };
}

function hasGrown(run: Run): boolean {
  const { warm, end } = heldOf(run);
  return run.options.requests >= LONG && end - warm > MOST_GROWTH;
}

const inMegabytes = (bytes: number) => `${(bytes / 1024 / 1024).toFixed(0)} MB`;

function report(run: Run, pid: number): boolean {
  const { ground, options, statuses, failures } = run;
  const { warm, end } = heldOf(run);
  const lines = ground.bridge.complaints().split('\n').filter(Boolean);
  const isSame = ground.bridge.isRunning() && ground.bridge.pid() === pid;
  const counts = [...statuses]
    .map(([name, times]) => `${name}: ${times}`)
    .toSorted((one, other) => one.localeCompare(other));
  say(`${options.requests} requests, seed ${options.seed}`);
  say(`answers      ${counts.join(', ')} (0: the connection was closed without one)`);
  say(`500          ${statuses.get('500') ?? 0}`);
  say(`process      ${isSame ? `${pid}, the one that it began with` : 'ANOTHER ONE, OR NONE'}`);
  const most = Math.max(...run.memory.map(({ resident }) => resident));
  say(`memory held  ${inMegabytes(warm)} after the warm-up, ${inMegabytes(end)} at the end`);
  say(`resident     ${inMegabytes(most)} at most`);
  say(`log lines    ${lines.length}, alarms: ${lines.filter((line) => line.includes('ALARM')).length}`);
  for (const failure of failures.slice(0, 20)) say(failure);
  if (hasGrown(run)) say('MEMORY GROWS');
  return isSame && failures.length === 0 && !hasGrown(run);
}

const UPDATES = 50;

/** The ids of updates that calls can change. */
async function makeUpdates(url: string, token: string): Promise<string[]> {
  const ids: string[] = [];
  for (let number = 0; number < UPDATES; number += 1) {
    const fields = { 'profile_ids[]': CHANNELS.twitter, text: `Update ${number}` };
    const form = rawForm(new URLSearchParams(fields).toString(), { authorization: `Bearer ${token}` });
    const { json } = await sendRaw(url, { method: 'POST', path: '/1/updates/create.json', ...form });
    ids.push(...(json as { updates: Array<{ id: string }> }).updates.map(({ id }) => id));
  }
  return ids;
}

/** Two tokens that work: one of a grant, one of the old API. */
async function validAt(ground: Ground): Promise<Valid> {
  const { app, person, bridge, waitingToken } = ground;
  const system = { bridgeUrl: bridge.url, app, person } as Pick<
    System,
    'bridgeUrl' | 'app' | 'person'
  > as System;
  const token = await issueToken(system);
  const updateIds = await makeUpdates(bridge.url, token);
  return { app, tokens: [token, waitingToken], updateIds, ownProfile: CHANNELS.twitter };
}

/** Whether nothing went wrong. */
export async function runFuzz(args: readonly string[]): Promise<boolean> {
  const options = readOptions(args);
  const ground = await startGround({ LEGACY_RATE_LIMIT: '0' });
  try {
    const pid = ground.bridge.pid();
    const run: Run = {
      ground,
      options,
      valid: await validAt(ground),
      statuses: new Map(),
      failures: [],
      memory: [],
    };
    await sendAll(run).catch((error: unknown) => run.failures.push(String(error)));
    return report(run, pid);
  } finally {
    await ground.stop();
  }
}
