import { chanceOf } from '../shared/faults/chance.ts';
import { createHand } from './world/change-rows.ts';
import { createDirector } from './director.ts';
import { countClaimed } from './world/ledger.ts';
import { makeWorld } from './world/make-world.ts';
import type { RehearsalOptions } from './options.ts';
import { createOracle } from './oracle/oracle.ts';
import type { Complain } from './oracle/oracle-parts.ts';
import type { Play, Use } from './play.ts';
import { compareAtEnd, readTick } from './oracle/reader.ts';
import { writeRows, writeUses } from './world/rows.ts';
import { makeSchedule, type Schedule, type Tick } from './world/schedule.ts';
import { openStage } from './stage.ts';
import { newTally, type Tally } from './tally.ts';
import { type Change, dayAt, type World } from './world/world.ts';

/** A year, tick by tick: the world changes, both machines plan and deliver at once, and the oracle judges what arrived. */

/** How many of those who are about to be told act while their mail waits. */
const SUDDEN = 0.1;

/** Calls that came while the machines were off were answered by nobody. */
function usesOf({ tokens }: World, { off }: Schedule): Use[] {
  const isAnswered = ({ at }: Use) => !off.some(({ from, to }) => from <= at && at <= to);
  return tokens
    .flatMap(({ id, uses }) => uses.map((at) => ({ token: id, at })))
    .filter(isAnswered)
    .toSorted((one, other) => one.at - other.at);
}

/** Takes what has come by now off the front. */
function until<T extends { at: number }>(list: T[], now: number): T[] {
  const end = list.findIndex(({ at }) => at > now);
  return list.splice(0, end === -1 ? list.length : end);
}

/** What was done and what was called, in the order in which it happened. */
async function changeWorld(play: Play, now: number): Promise<void> {
  const uses = until(play.uses, now);
  const changes = until(play.changes, now);
  await writeUses(play.stage.store, uses);
  for (const change of changes) {
    until(uses, change.at).forEach(({ token, at }) => play.oracle.state.use(token, at));
    await play.hand.apply(change);
    play.oracle.apply(change);
  }
  uses.forEach(({ token, at }) => play.oracle.state.use(token, at));
}

/** Some act just now on what a mail is about to tell them. */
function suddenChanges({ chance, oracle }: Play, now: number): Change[] {
  const expected = oracle.expected().filter(({ key }) => key.includes(' holder '));
  const chosen = expected.filter(() => chance.happens(SUDDEN));
  return chosen.map(({ human, key }) => ({ kind: 'act', at: now, human, app: key.split(' ')[0] ?? '' }));
}

/** Only what people do, while the machines are between planning and delivery. */
async function meanwhile(play: Play, { at, pause }: Tick): Promise<number> {
  if (pause === 0) return at;
  const now = at + pause;
  play.stage.clock.set(now);
  for (const change of [...until(play.changes, now), ...suddenChanges(play, now)]) {
    await play.hand.apply(change);
    play.oracle.apply(change);
  }
  return now;
}

async function runBoth(play: Play, work: 'plan' | 'deliver'): Promise<void> {
  play.director.begin(work);
  const times = await Promise.all(play.stage.machines.map((machine) => machine.run(work)));
  play.director.end();
  play.tally.addWork(work, times);
}

function setMail({ stage: { mail }, world }: Play, { at, away }: Tick): void {
  mail.mood = away ?? 'open';
  for (const [address, from] of world.refused) if (from <= at) mail.refused.add(address);
}

async function tick(play: Play, one: Tick): Promise<void> {
  const { stage, oracle, director, tally } = play;
  if (one.isFirstAfterOff) for (const machine of stage.machines) await machine.restart();
  setMail(play, one);
  director.expect(one.kill);
  stage.clock.set(one.at);
  await changeWorld(play, one.at);
  const planning = runBoth(play, 'plan');
  // meanwhile: what is planned depends on nothing that the machines do
  oracle.planned(one.at);
  await planning;
  const now = await meanwhile(play, one);
  await runBoth(play, 'deliver');
  const killed = director.takeKilled();
  if (killed !== undefined) {
    tally.addKill(await countClaimed(stage.store));
    await stage.machines[killed]?.restart();
  }
  const { told, repeated, unmarked } = await readTick(play, { since: one.at, killed });
  const isAway = one.away !== undefined;
  oracle.delivered(now, told, { isAway, wasKilled: killed !== undefined, repeated, unmarked });
  tally.ticks += 1;
}

const ENOUGH = 100;

async function prepare(options: RehearsalOptions, say: (text: string) => void): Promise<Play> {
  const world = makeWorld(options);
  const schedule = makeSchedule(options);
  const tally = newTally();
  const complain: Complain = (violation, text) => {
    if (tally.violations.length < ENOUGH) say(`${violation}: ${text}`);
    tally.violations.push({ violation, text });
  };
  const stage = await openStage(options);
  const play: Play = {
    options,
    chance: chanceOf(options.seed, 2),
    world,
    schedule,
    stage,
    oracle: createOracle(world, complain),
    hand: createHand(stage.store, world),
    director: createDirector(stage),
    tally,
    complain,
    arrivals: [],
    repeats: [],
    names: new Map(world.apps.map(({ clientId, name }) => [clientId, name])),
    changes: [...world.changes],
    uses: usesOf(world, schedule),
  };
  stage.mail.onArrival = (arrival) => void play.arrivals.push(arrival);
  stage.mail.onRepeat = ({ messageId }) => void play.repeats.push(messageId);
  return play;
}

/** Rehearses one year; `say` is told of violations as they are found, and how far it is. */
export async function rehearse(options: RehearsalOptions, say: (text: string) => void): Promise<Tally> {
  const begun = performance.now();
  const play = await prepare(options, say);
  const { stage, schedule, tally, world } = play;
  try {
    await writeRows(stage.store, world);
    let month = 0;
    for (const one of schedule.ticks) {
      await tick(play, one);
      if (one.at < dayAt((month + 1) * 30)) continue;
      month = Math.floor((one.at - dayAt(0)) / (dayAt(30) - dayAt(0)));
      say(`day ${month * 30}: ${tally.mails} mails, ${tally.violations.length} violations`);
    }
    await compareAtEnd(play);
    for (const machine of stage.machines) tally.complaints += machine.complaints();
  } finally {
    await stage.close();
  }
  tally.seconds = (performance.now() - begun) / 1000;
  return tally;
}
