import { chanceOf } from '../../verification/shared/faults/chance.ts';
import type { NetworkFault } from '../../verification/shared/faults/fault-proxy.ts';
import { print } from '../../races/calls.ts';
import { until } from '../../support/servers/held-answer.ts';
import { CHANNELS } from '../support/posts.ts';
import {
  create,
  faultsOf,
  idsByText,
  lies,
  openStage,
  settleAll,
  type Stage,
  type Told,
} from '../support/writes-under-faults.ts';
import { databasesOf } from '../../support/jest/test-mode.ts';

/**
 * Creates while the network between bridge and new API fails in every way: each post is made at most once, none is there
 * that its caller was told failed, and the journal says in the end what is really there. Only a request that the network
 * itself delivers twice makes two posts.
 */

const SEED = Number(process.env['SEED'] ?? 18);

/** Faults that are over at once. */
const SHORT: NetworkFault[] = [
  { kind: 'reset', at: 'open' },
  { kind: 'reset', at: 'request' },
  { kind: 'reset', at: 'answer' },
  { kind: 'cut', direction: 'up', bytes: 120 },
  { kind: 'cut', direction: 'up', bytes: 600 },
  { kind: 'cut', direction: 'down', bytes: 0 },
  { kind: 'cut', direction: 'down', bytes: 400 },
  { kind: 'latency', ms: 200 },
  { kind: 'slow', slice: 150, pauseMs: 5 },
];

/** Faults that nobody notices before the time of a request is over. They fill few of the places for writes at once. */
const LONG: NetworkFault[] = [
  { kind: 'black-hole', direction: 'up' },
  { kind: 'black-hole', direction: 'up', after: 300 },
  { kind: 'black-hole', direction: 'down' },
  { kind: 'black-hole', direction: 'down', after: 300 },
];

const LONG_OF_EACH = 4;
const CREATES = 500;
const LANES = 64;

/** Every create meets one, or a look at it does. */
function faultSeries(): NetworkFault[] {
  const chance = chanceOf(SEED, 0);
  const long = Array.from({ length: LONG_OF_EACH }, () => LONG).flat();
  return [...long, ...Array.from({ length: CREATES - long.length }, () => chance.pick(SHORT))];
}

/** Unix seconds, more than a year from now. */
const dueIn = (hours: number) => String(Math.floor(Date.now() / 1000) + 3600 * (400 * 24 + hours));

const PROFILES = [CHANNELS.twitter, CHANNELS.threads, CHANNELS.bluesky, CHANNELS.linkedin, CHANNELS.paused];

let made = 0;

/** Drafts on several profiles, and posts that are scheduled, each with a text of its own. */
function createNext(stage: Stage): Promise<Told> {
  made += 1;
  const { processes } = stage.bridges;
  const url = processes[made % processes.length]?.url ?? '';
  const text = `Crumb ${made}`;
  if (made % 4 === 0) return create(stage, url, { text, fields: { scheduled_at: dueIn(made) } });
  const profileId = PROFILES[made % PROFILES.length] ?? '';
  return create(stage, url, { text, profileId });
}

async function createMany(stage: Stage, times: number): Promise<Told[]> {
  const told: Told[] = [];
  let left = times;
  const lane = async () => {
    while (left-- > 0) told.push(await createNext(stage));
  };
  await Promise.all(Array.from({ length: Math.min(LANES, times) }, lane));
  return told;
}

function countsOf(told: readonly Told[]): string {
  const kinds = [...new Set(told.map(({ what }) => what))];
  return kinds.map((kind) => `${kind} ${told.filter(({ what }) => what === kind).length}`).join(', ');
}

const COUNTS = { sqlite: 1, postgres: 2 };

describe.each(databasesOf('postgres').map((database) => ({ database, count: COUNTS[database] })))(
  'on a network that fails, $database with $count processes',
  (options) => {
    let stage: Stage;

    beforeAll(async () => {
      stage = await openStage(options);
    });

    afterAll(() => stage.stop());

    afterEach(() => stage.proxy.clear());

    test(`of ${CREATES} creates no post is made twice, and none is there that was told as failed`, async () => {
      stage.proxy.injectEach({ faults: faultSeries(), beginning: 'POST ' });
      const told = await createMany(stage, CREATES);
      stage.proxy.clear();
      await settleAll(stage);
      const ids = await idsByText(stage);
      print(`${countsOf(told)}; faults met: ${[...stage.proxy.met].map((one) => one.join(' ')).join(', ')}`);
      expect(told).toHaveLength(CREATES);
      expect(faultsOf(told, ids, 1)).toEqual([]);
      expect(await lies(stage, ids)).toEqual([]);
      expect(new Set(told.map(({ what }) => what))).toEqual(new Set(['posted', 'in doubt', 'failed']));
    });

    test('a request that the network delivers twice makes two posts, which this test sees', async () => {
      const before = stage.proxy.met.get('duplicate') ?? 0;
      stage.proxy.inject({ fault: { kind: 'duplicate' }, times: 10, beginning: 'POST ' });
      const told = await createMany(stage, 10);
      stage.proxy.clear();
      // The second delivery may be carried out after the first was answered.
      let ids = await idsByText(stage);
      const twice = () => told.filter(({ text }) => ids.get(text)?.length === 2).length;
      await until(async () => {
        ids = await idsByText(stage);
        return twice() === (stage.proxy.met.get('duplicate') ?? 0) - before;
      });
      expect(twice()).toBeGreaterThan(0);
      expect(faultsOf(told, ids, 2)).toEqual([]);
    });
  },
);
