import { setTimeout as delay } from 'node:timers/promises';
import { calm } from '../shared/calm.ts';
import {
  ageDeaths,
  endedGrants,
  eventsAfter,
  grantsSince,
  lastEventId,
  mappingsOf,
  owedTokens,
} from '../shared/database.ts';
import type { Outage, RoundHistory } from '../shared/checker/history.ts';
import type { Lane } from './lane.ts';
import { LIMITS, QUIET_SECONDS } from '../shared/limits.ts';
import type { CampaignOptions } from './options.ts';
import type { Plan } from './plan.ts';
import { SCENES } from './scenarios.ts';
import { armTraps, cutWay, disarmTraps, newStage, type Stage } from './stage.ts';

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
        if (note.what === 'hit' && note.action === 'cut') cutWay(stage, note);
        if (note.what !== 'hit' || note.action !== 'stop') continue;
        bridge.notePause(note);
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
async function strike(stage: Stage): Promise<void> {
  const { lane, plan } = stage;
  const kills = plan.kills.map(async ({ process, after }) => {
    await delay(after);
    const bridge = lane.bridges[process as 0 | 1];
    if (!bridge.isPaused()) bridge.kill();
  });
  const crash = async () => {
    if (plan.databaseCrash === undefined) return;
    await delay(plan.databaseCrash);
    const from = Date.now();
    await lane.crashDatabase();
    stage.databaseAway = { from, until: Date.now() };
  };
  await Promise.all([...kills, crash()]);
}

function turnBad({ lane, plan }: Stage): void {
  const times = plan.name === 'network' || plan.isEarly ? 2 : 1;
  const beginning = 'POST /token ';
  if (plan.network) lane.proxy.inject({ fault: plan.network, times, beginning });
  if (plan.hostile) lane.recorder.hostile = { answer: plan.hostile, times };
}

/** What both processes logged, and where a secret stood in it; nothing of a secret but its beginning is passed on. */
function logsOf(lane: Lane): { log: string[]; leaks: string[] } {
  const log = lane.bridges.flatMap((bridge) => bridge.newLog().split('\n'));
  const text = log.join('\n');
  const leaked = [...lane.recorder.secrets].filter((secret) => text.includes(secret));
  const masked = (line: string) =>
    leaked.reduce((left, secret) => left.replaceAll(secret, `${secret.slice(0, 4)}…`), line);
  const leaks = leaked.map((secret) => masked(log.find((line) => line.includes(secret)) ?? secret));
  return { log: log.map(masked), leaks };
}

function outagesOf(lane: Lane, since: number): Outage[] {
  return lane.bridges.flatMap(({ outages }) => outages).filter(({ until }) => until >= since);
}

/** The wait for a refresh, a request to the main API after it, and what a busy machine adds. */
const CALLER_LIMIT = LIMITS.CALLER_WAIT + 2 * LIMITS.UPSTREAM_TIMEOUT + LIMITS.CONNECT_TIMEOUT + 4000;

/** How far two processes may be apart about the database's clock. */
const CLOCKS_DIFFER_MS = 100;

interface Start {
  at: number;
  /** By the database's clock. */
  clock: number;
  /** The last event, and the grants that had ended, before the round. */
  eventId: number;
  ended: Set<string>;
  owed: string[];
}

async function startOf(lane: Lane): Promise<Start> {
  const { context } = lane;
  const [eventId, ended] = [await lastEventId(context), await endedGrants(context)];
  const owed = await owedTokens(context);
  return { at: Date.now(), clock: context.clock.now(), eventId, ended, owed };
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
    pauses: lane.bridges.flatMap(({ pauses }) => pauses).filter(({ until }) => until >= start.at),
    expiries,
    grants: touched.filter(({ id }) => !start.ended.has(id)),
    mappings: await mappingsOf(context, stage.tokens),
    events: await eventsAfter(context, start.eventId),
    owed: await owedTokens(context),
    owedBefore: start.owed,
    withSibling: [...stage.withSibling],
    revokedByCampaign: stage.revokedByCampaign,
    upstreamTimeout: LIMITS.UPSTREAM_TIMEOUT,
    callerLimit: CALLER_LIMIT,
    ...logsOf(lane),
    calm: stage.calm,
    unsettled: stage.unsettled,
    served: stage.served,
    databaseAway: stage.databaseAway,
    cuts: stage.cuts,
  };
}

/** What is older than a few rounds is about tokens that no row holds any more. */
const KEPT = 400;

function forgetOld(lane: Lane): void {
  lane.presentations.splice(0, Math.max(lane.presentations.length - KEPT, 0));
  lane.recorder.received.splice(0, Math.max(lane.recorder.received.length - 3 * KEPT, 0));
  for (const { outages, pauses } of lane.bridges) {
    outages.splice(0, Math.max(outages.length - KEPT, 0));
    pauses.splice(0, Math.max(pauses.length - KEPT, 0));
  }
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
  if (lane.grant && !(await calm(stage, lane.grant))) lane.grant = undefined;
  await stopWatching();
  const history = await collect(stage, start);
  await ageDeaths(lane.context);
  forgetOld(lane);
  return history;
}
