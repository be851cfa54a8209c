import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { authorize, type LegacyApp } from '../../support/callers/authorize.ts';
import { CookieWalker } from '../../support/callers/cookie-walker.ts';
import type { CampaignBridge } from './campaign-bridge.ts';
import { exchangeCode } from '../shared/calls.ts';
import type { CalmCallers } from '../shared/calm.ts';
import { indexOf, LOOK_EVERY_MS, SETTLE_LIMIT_MS } from '../shared/callers.ts';
import { chanceOf } from '../shared/faults/chance.ts';
import { grantIdOf, grantOf, isRecorded } from '../shared/database.ts';
import type { Note, RoundHistory } from '../shared/checker/history.ts';
import type { Lane } from './lane.ts';
import type { Plan } from './plan.ts';

/** What the scenarios of a round have in common: its lane and plan, and what it has recorded so far. */
export interface Stage extends CalmCallers {
  lane: Lane;
  plan: Plan;
  notes: Note[];
  /** Beside what processes note: which machine had no database, and when. */
  cuts: RoundHistory['cuts'];
  /** Legacy tokens that were issued or used in this round. */
  tokens: Set<string>;
  withSibling: Set<string>;
  revokedByCampaign: string[];
  served: RoundHistory['served'];
  databaseAway: RoundHistory['databaseAway'];
  lastConsentError?: Error;
  /** Rises whenever a round is tried again. */
  attempt: number;
}

export function newStage(lane: Lane, plan: Plan, seed: number): Stage {
  const { context, presentations, bridges } = lane;
  return {
    lane,
    plan,
    context,
    presentations,
    urls: bridges.map(({ url }) => url),
    first: plan.first,
    spread: plan.spread,
    // the settings of a lane keep no answer
    freshFor: 0,
    // on a lane nobody else is refreshed then
    isOwn: () => true,
    // beside the plan's own, so that a change of the plan changes no order
    chance: chanceOf(seed + 1_000_003, plan.round),
    calls: [],
    notes: [],
    expiries: [],
    cuts: [],
    tokens: new Set(),
    withSibling: new Set(),
    revokedByCampaign: [],
    calm: [],
    unsettled: [],
    served: undefined,
    databaseAway: undefined,
    attempt: 0,
  };
}

/** The file that says that a trap is sprung. */
const placeOf = ({ lane, plan, attempt }: Stage, name: string) =>
  join(lane.folder, `sprung-${plan.round}-${attempt}-${name}`);

/** Gives both processes the round's traps; a trap that is sprung in one is gone in the other. */
export async function armTraps(stage: Stage, database: string): Promise<void> {
  const { lane, plan } = stage;
  const place = (name: string) => placeOf(stage, name);
  const traps = plan.traps.map((trap, index) => ({
    ...trap,
    database,
    ...(trap.action !== 'fail' && { once: place(String(index)) }),
  }));
  const restartTraps = plan.restartTraps.map((trap, index) => ({
    ...trap,
    database,
    once: place(`restart-${index}`),
  }));
  for (const [index, bridge] of lane.bridges.entries()) {
    const shift = plan.shifts[index] ?? 0;
    bridge.firstOrder = { shift, traps: restartTraps };
    bridge.restartAfter = plan.restartAfter;
    await bridge.order({ shift, traps });
  }
}

/** Every machine has its database again. */
export function healWays({ lane, cuts }: Stage): void {
  for (const way of lane.ways) way.heal();
  for (const cut of cuts) cut.until = Math.min(cut.until, Date.now());
}

/** The machine of a process that has reached a cut has no database from here on; the process goes on when it is so. */
export function cutWay(stage: Stage, { process, point }: { process: number; point: string }): void {
  const { lane, plan, cuts } = stage;
  const trap = plan.traps.findIndex((each) => each.action === 'cut' && each.point === point);
  lane.ways[process]?.cut();
  cuts.push({ process, from: Date.now(), until: Number.POSITIVE_INFINITY });
  writeFileSync(`${placeOf(stage, String(trap))}.done`, '');
}

/** What was spilled, or is held by a process that lives, is in the database. */
async function pairsAreKept(stage: Stage): Promise<boolean> {
  const { notes, lane } = stage;
  const held = notes.filter((note) => note.what === 'received' && note.version > 1);
  const isKept = (pair: Note) =>
    pair.what === 'received' &&
    notes.some((note) => note.what === 'kept' && note.grantId === pair.grantId && note.pid === pair.pid);
  const ended = new Set(lane.bridges.flatMap(({ outages }) => outages.map(({ pid }) => pid)));
  return held.every((pair) => isKept(pair) || ended.has(pair.pid)) && spilledIn(lane) === 0;
}

/**
 * Whether a process was ended, or is on its way up. It may hold the spill of a pair. Only its newest outage tells: an
 * earlier one in which the next start ended too has no end.
 */
const isOneDown = ({ bridges }: Lane): boolean =>
  bridges.some(({ outages }) => (outages.at(-1)?.until ?? 0) > Date.now());

/** Waits until every pair that came is where it belongs. Time in which a process is down does not count. */
export async function keepPairs(stage: Stage): Promise<void> {
  let left = SETTLE_LIMIT_MS;
  while (!(await pairsAreKept(stage))) {
    if (left <= 0) return void stage.unsettled.push('a pair that came is kept by nobody');
    const [begun, wasDown] = [Date.now(), isOneDown(stage.lane)];
    await delay(LOOK_EVERY_MS);
    if (!wasDown) left -= Date.now() - begun;
  }
}

function spilledIn({ varDirs }: Lane): number {
  const folders = [...new Set(varDirs)].map((folder) => join(folder, 'spill'));
  const names = folders.flatMap((folder) => (existsSync(folder) ? readdirSync(folder) : []));
  return names.filter((name) => name.endsWith('.pair')).length;
}

export async function disarmTraps(stage: Stage): Promise<void> {
  const { lane } = stage;
  lane.proxy.clear();
  lane.recorder.hostile = undefined;
  healWays(stage);
  for (const bridge of lane.bridges) {
    bridge.firstOrder = {};
    bridge.resume();
    await bridge.up();
    await bridge.order({ traps: [] });
    // it may have sprung a last one meanwhile
    await bridge.up();
  }
  await keepPairs(stage);
}

/** The n-th bridge, counted round the two. */
export function bridgeOf(stage: Stage, n: number): { bridge: CampaignBridge; index: number } {
  const index = indexOf(stage, n);
  return { bridge: stage.lane.bridges[index as 0 | 1], index };
}

/** A consent through the first bridge, tried once; undefined when it led to no code. */
export async function consentOnce(stage: Stage, app: LegacyApp): Promise<string | undefined> {
  const { lane } = stage;
  try {
    const { code } = await authorize({
      bridgeUrl: lane.bridges[0].url,
      app,
      person: lane.person,
      browser: lane.browser,
    });
    if (code === undefined) throw new Error('the consent led to no code');
    const clear = decodeURIComponent(code);
    lane.recorder.secrets.add(clear);
    return clear;
  } catch (error) {
    // a browser that was cut off in the middle begins anew
    lane.browser = new CookieWalker();
    stage.lastConsentError = error as Error;
    return undefined;
  }
}

const CONSENTS = 5;

/** A code of a new consent. @throws {Error} when several attempts gave none */
export async function consent(stage: Stage, app: LegacyApp): Promise<string> {
  for (let attempt = 0; attempt < CONSENTS; attempt += 1) {
    await stage.lane.bridges[0].up();
    const code = await consentOnce(stage, app);
    if (code !== undefined) return code;
    await delay(200);
  }
  const cause = stage.lastConsentError;
  throw new Error(`no consent came to an end in round ${stage.plan.round}`, { cause });
}

export async function exchangeOnce(
  stage: Stage,
  n: number,
  asked: { app: LegacyApp; code: string },
): Promise<string | undefined> {
  const { bridge, index } = bridgeOf(stage, n);
  const { token, ...call } = await exchangeCode(bridge.url, index, asked);
  stage.calls.push(call);
  if (token === undefined) return undefined;
  const { context } = stage.lane;
  call.committed = await isRecorded(context, token, { state: 'active', action: 'token_issued' });
  stage.tokens.add(token);
  stage.lane.recorder.secrets.add(token);
  return token;
}

/** A new consent and its token, when nothing is faulty. */
export async function newGrant(stage: Stage, app: LegacyApp): Promise<{ id: string; token: string }> {
  await Promise.all(stage.lane.bridges.map((bridge) => bridge.up()));
  const token = await exchangeOnce(stage, 0, { app, code: await consent(stage, app) });
  const id = token && (await grantIdOf(stage.lane.context, token));
  if (!token || !id) throw new Error(`no token came of a consent in round ${stage.plan.round}`);
  return { id, token };
}

/** The lane's grant, ready; a new one where the last has ended. */
export async function readyGrant(stage: Stage): Promise<{ id: string; token: string }> {
  const { lane } = stage;
  const row = lane.grant && (await grantOf(lane.context, lane.grant.id));
  if (!lane.grant || row?.state !== 'ready') lane.grant = await newGrant(stage, lane.app);
  stage.tokens.add(lane.grant.token);
  return lane.grant;
}
