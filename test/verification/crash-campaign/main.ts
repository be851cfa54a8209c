import { rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { copyBuild } from '../shared/build-copy.ts';
import { checkRound } from '../shared/checker/checker.ts';
import type { RoundHistory } from '../shared/checker/history.ts';
import { type Lane, startLane } from './lane.ts';
import { type CampaignOptions, readOptions } from './options.ts';
import { UsageError } from '../shared/command-line.ts';
import { planOf } from './plan.ts';
import { runRound } from './round.ts';
import { newTally, type Tally } from './tally.ts';

/**
 * The crash campaign: proof that no grant is lost, by real processes that are killed, stopped and cut off. Rounds are
 * played on several lanes at once, so that their waiting overlaps; every lane is a whole system of its own.
 */

/** After so many violations the rest would say nothing new. */
const ENOUGH = 5;

/** A campaign of this length must have killed a process so often at every point. */
const LONG = 1000;
const HITS_OF_LONG = 25;

const say = (text: string): void => void process.stdout.write(`${text}\n`);

interface Campaign {
  options: CampaignOptions;
  tally: Tally;
  /** Rounds that nobody has begun: those of lanes with introspection, and the others. */
  left: Record<'true' | 'false', number[]>;
}

const introspectsIn = (round: number): boolean => round % 2 === 0;

/** Where few rounds are of a kind, so many are looked through for it. */
const LOOKED_THROUGH = 100_000;

function numbersOf({ rounds, round, kind, seed, database }: CampaignOptions): number[] {
  if (round !== undefined) return [round];
  if (kind === undefined) return Array.from({ length: rounds }, (_, n) => n);
  const numbers: number[] = [];
  for (let n = 0; numbers.length < rounds && n < LOOKED_THROUGH; n += 1)
    if (planOf(seed, n, database).name === kind) numbers.push(n);
  if (numbers.length === 0) throw new UsageError(`no round on ${database} is of the kind ${kind}`);
  return numbers;
}

function roundsOf(options: CampaignOptions): Campaign['left'] {
  const all = numbersOf(options);
  return { true: all.filter(introspectsIn), false: all.filter((n) => !introspectsIn(n)) };
}

function isEnough({ options, tally }: Campaign): boolean {
  return tally.violations.length >= (options.sabotage === 'none' ? ENOUGH : 1);
}

/** Whether every round was played that was asked for. */
const isWhole = ({ options, tally }: Campaign) => tally.rounds() === options.rounds;

function reproduction({ seed, database, sabotage }: CampaignOptions, round: number): string {
  const wrong = sabotage === 'none' ? '' : ` --sabotage ${sabotage}`;
  return `npm run crash-campaign -- --seed ${seed} --database ${database} --round ${round}${wrong}`;
}

/** All that was seen of a round that failed; it holds digests only. */
function keepEvidence(history: RoundHistory, plan: object): string {
  const file = join(tmpdir(), `crash-campaign-round-${history.round}-${process.pid}.json`);
  writeFileSync(file, JSON.stringify({ plan, history }, null, 1), { mode: 0o600 });
  return file;
}

async function playOne(campaign: Campaign, lane: Lane, round: number): Promise<void> {
  const { options, tally } = campaign;
  const plan = planOf(options.seed, round, options.database);
  const history = await runRound(lane, plan, options);
  const found = checkRound(history);
  tally.add(plan, history, found);
  if (found.violations.length > 0) {
    for (const { invariant, text } of found.violations)
      say(`round ${round} (${plan.name}): ${invariant}: ${text}`);
    say(`  reproduce: ${reproduction(options, round)}`);
    say(`  history: ${keepEvidence(history, plan)}`);
    // what a violation leaves behind is no part of the next round
    lane.grant = undefined;
  }
  if (tally.rounds() % 50 === 0) say(`${tally.rounds()} rounds, ${tally.violations.length} violations`);
}

async function work(campaign: Campaign, lane: Lane): Promise<void> {
  const mine = campaign.left[`${lane.introspects}`];
  for (let round = mine.shift(); round !== undefined && !isEnough(campaign); round = mine.shift())
    await playOne(campaign, lane, round);
  for (const [kind, times] of lane.proxy.met) campaign.tally.addFaults(`network: ${kind}`, times);
}

async function startLanes({ options, left }: Campaign, build: string): Promise<Lane[]> {
  const kinds = Array.from({ length: options.lanes }, (_, n) => n % 2 === (left.true.length > 0 ? 0 : 1));
  const starting = kinds.map((introspects, n) =>
    startLane({ campaign: options, build, introspects, name: `lane-${n}` }),
  );
  return Promise.all(starting);
}

/** Plays the whole campaign; answers whether nothing was violated. */
export async function runCampaign(args: readonly string[]): Promise<boolean> {
  const options = readOptions(args);
  const campaign: Campaign = { options, tally: newTally(), left: roundsOf(options) };
  say(`crash campaign: seed ${options.seed}, ${options.database}, ${options.lanes} lanes`);
  const build = copyBuild();
  let lanes: Lane[] = [];
  // a bridge that is stopped would not notice that the campaign has gone
  process.once('exit', () => lanes.forEach(({ bridges }) => bridges.forEach((bridge) => bridge.kill())));
  for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(1));
  try {
    lanes = await startLanes(campaign, build);
    await Promise.all(lanes.map((lane) => work(campaign, lane)));
  } finally {
    await Promise.all(lanes.map((lane) => lane.close()));
    rmSync(build, { recursive: true, force: true });
  }
  say(campaign.tally.table(options));
  const seldom = options.rounds >= LONG && isWhole(campaign) ? campaign.tally.seldomHit(HITS_OF_LONG) : [];
  for (const point of seldom) say(`fewer than ${HITS_OF_LONG} kills at ${point}`);
  return campaign.tally.violations.length === 0 && seldom.length === 0;
}
