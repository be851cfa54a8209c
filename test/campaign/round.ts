import { setTimeout as delay } from 'node:timers/promises';
import {
  ageDeaths,
  endedGrants,
  eventsAfter,
  grantOf,
  grantsSince,
  lastEventId,
  mappingsOf,
  owedTokens,
} from './database.ts';
import type { Outage, RoundHistory } from './history.ts';
import type { Lane } from './lane.ts';
import { LIMITS, QUIET_SECONDS } from './limits.ts';
import type { CampaignOptions } from './options.ts';
import type { Plan } from './plan.ts';
import { SCENES } from './scenarios.ts';
import { armTraps, disarmTraps, expire, newStage, readMany, type Stage } from './stage.ts';

/** One round on a lane: the scene is set, faults and callers come, everything is brought to rest, and looked at. */

const WATCH_EVERY_MS = 10;

/** Collects what the processes write down, and wakes one that was stopped after its time. */
function watch(stage: Stage): () => Promise<void> {
  const { lane, plan, notes } = stage;
  const waking: NodeJS.Timeout[] = [];
  const look = () => {
    for (const bridge of lane.bridges) {
      for (const note of bridge.newNotes()) {
        notes.push(note);
        if (note.what !== 'hit' || note.action !== 'stop') continue;
        bridge.notePause();
        waking.push(setTimeout(() => bridge.resume(), plan.pause));
      }
    }
  };
  const timer = setInterval(look, WATCH_EVERY_MS);
  return async () => {
    clearInterval(timer);
    look();
    for (const wake of waking) clearTimeout(wake);
  };
}

/** What the plan does to the processes and the database from outside, each at its time. */
async function strike({ lane, plan }: Stage): Promise<void> {
  const kills = plan.kills.map(async ({ process, after }) => {
    await delay(after);
    const bridge = lane.bridges[process as 0 | 1];
    if (!bridge.isPaused()) bridge.kill();
  });
  const crash = async () => {
    if (plan.databaseCrash === undefined) return;
    await delay(plan.databaseCrash);
    await lane.crashDatabase();
  };
  await Promise.all([...kills, crash()]);
}

function turnBad({ lane, plan }: Stage): void {
  const times = plan.name === 'network' || plan.isEarly ? 2 : 1;
  const beginning = 'POST /token ';
  if (plan.network) lane.proxy.inject({ fault: plan.network, times, beginning });
  if (plan.hostile) lane.recorder.hostile = { answer: plan.hostile, times };
}

/** A machine that is too busy to connect within the shortened limits is no calm; a bridge that never refreshes is. */
const CALM_ATTEMPTS = 4;

/** Nothing is faulty any more: one end of an access token is one token request, and every caller is answered 200. */
async function calm(stage: Stage, attempt = 1): Promise<void> {
  const { lane } = stage;
  const row = lane.grant && (await grantOf(lane.context, lane.grant.id));
  if (!lane.grant || row?.state !== 'ready' || stage.unsettled.length > 0) return;
  const before = lane.presentations.length;
  await expire(stage, lane.grant.id);
  const calls = await readMany(stage, 4, lane.grant.token);
  const after = await grantOf(lane.context, lane.grant.id);
  if (after?.state === 'dead') {
    // what was lost in the round is found out only now; a new consent follows
    lane.grant = undefined;
    return;
  }
  const requests = lane.presentations.length - before;
  const couldNotConnect = requests === 0 && (after?.attempts ?? 0) > (row.attempts ?? 0);
  if (couldNotConnect && attempt < CALM_ATTEMPTS) return calm(stage, attempt + 1);
  stage.calm.push({
    requests,
    statuses: calls.map(({ status }) => status ?? 0),
  });
}

/** What both processes logged, and the secrets that stand in it. */
function logsOf(lane: Lane): { log: string[]; leaks: string[] } {
  const log = lane.bridges.flatMap((bridge) => bridge.newLog().split('\n'));
  const text = log.join('\n');
  const leaked = [...lane.recorder.secrets].filter((secret) => text.includes(secret));
  const leaks = leaked.map(
    (secret) => `${secret.slice(0, 4)}… in ${log.find((line) => line.includes(secret))}`,
  );
  return { log, leaks };
}

const faultsMet = ({ proxy }: Lane): number => [...proxy.met.values()].reduce((sum, times) => sum + times, 0);

function outagesOf(lane: Lane, since: number): Outage[] {
  return lane.bridges.flatMap(({ outages }) => outages).filter(({ until }) => until >= since);
}

/** How far two processes may be apart about the database's clock. */
const CLOCKS_DIFFER_MS = 100;

interface Start {
  at: number;
  /** By the database's clock. */
  clock: number;
  /** The last event, and the grants that had ended, before the round. */
  eventId: number;
  ended: Set<string>;
  /** How many connections had met a fault. */
  met: number;
}

async function startOf(lane: Lane): Promise<Start> {
  const { context } = lane;
  const [eventId, ended] = [await lastEventId(context), await endedGrants(context)];
  return { at: Date.now(), clock: context.clock.now(), eventId, ended, met: faultsMet(lane) };
}

async function collect(stage: Stage, start: Start): Promise<RoundHistory> {
  const { lane, plan, calls, notes, expiries } = stage;
  const { context } = lane;
  const touched = await grantsSince(context, start.clock - CLOCKS_DIFFER_MS);
  return {
    round: plan.round,
    introspects: lane.introspects,
    quiet: QUIET_SECONDS * 1000,
    claimToWrite: LIMITS.CLAIM_TO_WRITE_LIMIT,
    since: start.at,
    presentations: [...lane.presentations],
    received: [...lane.recorder.received],
    calls,
    notes,
    outages: outagesOf(lane, start.at),
    expiries,
    grants: touched.filter(({ id }) => !start.ended.has(id)),
    mappings: await mappingsOf(context, stage.tokens),
    events: await eventsAfter(context, start.eventId),
    owed: await owedTokens(context),
    withSibling: [...stage.withSibling],
    revokedByCampaign: stage.revokedByCampaign,
    networkFaults: faultsMet(lane) - start.met,
    upstreamTimeout: LIMITS.UPSTREAM_TIMEOUT,
    ...logsOf(lane),
    calm: stage.calm,
    unsettled: stage.unsettled,
    served: stage.served,
  };
}

/** What is older than a few rounds is about tokens that no row holds any more. */
const KEPT = 400;

function forgetOld(lane: Lane): void {
  lane.presentations.splice(0, Math.max(lane.presentations.length - KEPT, 0));
  lane.recorder.received.splice(0, Math.max(lane.recorder.received.length - 3 * KEPT, 0));
  for (const bridge of lane.bridges) bridge.outages.splice(0, Math.max(bridge.outages.length - KEPT, 0));
}

const isHit = ({ plan, notes }: Stage): boolean =>
  plan.point === undefined || notes.some((note) => note.what === 'hit' && note.point === plan.point);

const ATTEMPTS = 3;

async function play(stage: Stage, campaign: CampaignOptions): Promise<void> {
  for (
    stage.attempt = 0;
    stage.attempt < ATTEMPTS && !(stage.attempt > 0 && isHit(stage));
    stage.attempt += 1
  ) {
    const act = await SCENES[stage.plan.scenario](stage);
    await armTraps(stage, campaign.database);
    turnBad(stage);
    await Promise.all([act(), stage.attempt === 0 ? strike(stage) : undefined]);
    await disarmTraps(stage);
    await delay(2 * WATCH_EVERY_MS);
    if (stage.unsettled.length > 0) return;
  }
}

/** Plays a round; the answer is everything that was seen. */
export async function runRound(lane: Lane, plan: Plan, campaign: CampaignOptions): Promise<RoundHistory> {
  const stage = newStage(lane, plan, campaign.seed);
  const start = await startOf(lane);
  const stopWatching = watch(stage);
  await play(stage, campaign);
  await calm(stage);
  await stopWatching();
  const history = await collect(stage, start);
  await ageDeaths(lane.context);
  forgetOld(lane);
  return history;
}
