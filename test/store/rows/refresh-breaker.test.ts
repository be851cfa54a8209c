import { upsertAccount } from '../../../src/store/accounts/accounts.ts';
import { claimInTurn, TurnGone } from '../../../src/store/grants/claim-in-turn.ts';
import { countAccounts } from '../../../src/store/grants/deaths.ts';
import {
  readBreaker,
  redateDoubts,
  stopForDeaths,
  takeTurn,
} from '../../../src/store/grants/refresh-breaker.ts';
import { claimPresenting } from '../../../src/store/grants/claim-presenting.ts';
import { insertGrant, markDead } from '../../../src/store/grants/grants.ts';
import { readInstance, type SeenInstance } from '../../../src/store/instance/instance.ts';
import { markInDoubt, releaseClaim, storeRotation } from '../../../src/store/grants/presentations.ts';
import { grantRow, keepAppAndAccount, keepGrant } from '../support/rows.ts';
import { databaseKinds, openTwoStores, type TwoStores } from '../support/stores.ts';

/** What all processes agree on while answers are lost, from two connections to one database. */

const NOW = 10_000_000;
const pair = {
  accessTokenSealed: 'x',
  refreshTokenSealed: 'y',
  scope: 's',
  accessExpiresAt: 0,
  refreshAt: 0,
};

const version = (id: string) => ({ id, version: 1 });

describe.each(databaseKinds)('on %s', (kind) => {
  let stores: TwoStores;
  let instance: SeenInstance;

  beforeAll(async () => {
    stores = await openTwoStores(kind);
    await keepAppAndAccount(stores.one.durable);
    instance = await readInstance(stores.one.durable);
  });

  beforeEach(async () => {
    await stores.one.durable.deleteFrom('grants').execute();
    const calm = { turn: 0, tripped_at: null, next_at: 0, pause: 0, deaths_until: 0 };
    await stores.one.durable.updateTable('refresh_breaker').set(calm).execute();
  });

  afterAll(() => stores.close());

  const db = () => stores.one.durable;
  const look = (now = NOW) => readBreaker(stores.two.durable, now);
  const decided = (claimId: string, now = NOW) =>
    ({ from: 'ready', seenClaim: null, claimId, now, instance }) as const;

  /** A grant whose presentation of that time got no answer. */
  async function lose(id: string, at: number, { isHeard = true } = {}): Promise<void> {
    await keepGrant(db(), id);
    await claimPresenting(db(), version(id), decided(`of-${id}`, at));
    await markInDoubt(db(), version(id), { claimId: `of-${id}`, retryAt: 0, now: at, isHeard });
  }

  const presenting = () =>
    db().selectFrom('grants').select('id').where('state', '=', 'presenting').orderBy('id').execute();

  type Decide = Parameters<typeof claimInTurn>[2]['decide'];

  /** Claims of twenty grants at once, from both connections; those that won. */
  async function claimTwenty(decide: Decide): Promise<string[]> {
    const ids = Array.from({ length: 20 }, (_, number) => `g${number}`).toSorted();
    for (const id of ids) await keepGrant(db(), id);
    const claims = ids.map((id, number) =>
      claimInTurn(number % 2 ? stores.one : stores.two, version(id), { ...decided(id), decide }),
    );
    const made = await Promise.allSettled(claims);
    const refused = made.flatMap((each) => (each.status === 'rejected' ? [each.reason as unknown] : []));
    expect(refused.filter((reason) => !(reason instanceof TurnGone))).toEqual([]);
    return ids.filter((_, number) => made[number]?.status === 'fulfilled');
  }

  test('of many claims of different grants that may be made once, from two connections, exactly one is made', async () => {
    const change = { next_at: NOW + 60_000, pause: 60_000 };
    const won = await claimTwenty(({ turn }) => (turn === 0 ? change : undefined));
    expect(won).toHaveLength(1);
    expect(await presenting()).toEqual(won.map((id) => ({ id })));
    expect(await look()).toMatchObject({ turn: 1, nextAt: NOW + 60_000, pause: 60_000, flying: 1 });
  });

  test('of many that may be under way five at once, from two connections, exactly five are made', async () => {
    const won = await claimTwenty(({ flying }) => (flying < 5 ? {} : undefined));
    expect(won).toHaveLength(5);
    expect(await presenting()).toEqual(won.map((id) => ({ id })));
    expect(await look()).toMatchObject({ turn: 0, flying: 5 });
  });

  test('a claim that finds its grant taken leaves the turn to another', async () => {
    await insertGrant(db(), grantRow('g1', { state: 'presenting' }));
    const claim = { ...decided('c'), decide: () => ({ pause: 7 }) };
    expect(await claimInTurn(stores.one, version('g1'), claim)).toBe(false);
    expect(await look()).toMatchObject({ turn: 0, pause: 0 });
  });

  test('good answers of the last three seconds are counted, up to five, and no new consents', async () => {
    await keepGrant(db(), 'new', { rotated_at: NOW });
    for (let number = 0; number < 7; number += 1) {
      const at = NOW - 500 * number;
      await keepGrant(db(), `g${number}`);
      await storeRotation(db(), version(`g${number}`), { ...pair, answeredAt: at, now: at });
    }
    const views = [-2000, 0, 1000, 2500, 3000].map((later) => look(NOW + later));
    expect((await Promise.all(views)).map(({ goodLately }) => goodLately)).toEqual([3, 5, 4, 1, 0]);
  });

  test('a claim that was decided before an answer was lost, or before a turn, is refused', async () => {
    await keepGrant(db(), 'g1');
    const { turn, goodAt, since } = await look();
    const breaker = { turn, goodAt, since };
    await lose('g2', NOW);
    const claim = { ...decided('c'), breaker };
    expect(await claimPresenting(db(), version('g1'), claim)).toBe(false);
    await db().deleteFrom('grants').where('id', '=', 'g2').execute();
    await takeTurn(stores.two.durable, turn, {});
    expect(await claimPresenting(db(), version('g1'), claim)).toBe(false);
    expect(await claimPresenting(db(), version('g1'), { ...claim, breaker: await look() })).toBe(true);
  });

  test('lost answers count from the last good one on, for a quarter of an hour', async () => {
    await lose('g1', NOW - 900_000);
    await lose('g2', NOW - 30_000);
    await lose('g3', NOW - 10_000);
    expect(await look()).toMatchObject({ doubts: 2, goodAt: 0 });
    await keepGrant(db(), 'g4');
    await storeRotation(db(), version('g4'), { ...pair, answeredAt: NOW - 20_000, now: NOW - 20_000 });
    expect(await look()).toMatchObject({ doubts: 1, goodAt: NOW - 20_000 });
    expect(await look(NOW + 900_000)).toMatchObject({ doubts: 0 });
  });

  test('an answer that is stored late counts from when it came', async () => {
    await lose('g1', NOW - 10_000);
    await keepGrant(db(), 'g2');
    await storeRotation(db(), version('g2'), { ...pair, answeredAt: NOW - 20_000, now: NOW });
    expect(await look()).toMatchObject({ doubts: 1, goodAt: NOW - 20_000 });
  });

  test('one of which nobody knows when it came opens nothing; no date lies ahead', async () => {
    await lose('g1', NOW - 10_000);
    await keepGrant(db(), 'g2', { rotated_at: NOW - 50_000 });
    await storeRotation(db(), version('g2'), { ...pair, now: NOW });
    expect(await look()).toMatchObject({ doubts: 1, goodAt: NOW - 50_000 });
    await keepGrant(db(), 'g3');
    await storeRotation(db(), version('g3'), { ...pair, answeredAt: NOW + 3_600_000, now: NOW });
    expect(await look()).toMatchObject({ doubts: 0, goodAt: NOW });
  });

  test.each([1, 500, 3_600_000])(
    'an answer lost %i ms ahead of the clock counts here as it does for a claim',
    async (ahead) => {
      await lose('g1', NOW + ahead);
      await keepGrant(db(), 'g2');
      const seen = await look();
      expect(seen).toMatchObject({ doubts: 1, lastDoubt: NOW + ahead });
      expect(await claimPresenting(db(), version('g2'), { ...decided('c'), breaker: seen })).toBe(false);
    },
  );

  test('one that is far ahead counts from now on, until a good answer comes or a quarter of an hour is over', async () => {
    await lose('g1', NOW + 3_600_000);
    await lose('g2', NOW + 800);
    await Promise.all([redateDoubts(stores.one, NOW), redateDoubts(stores.two, NOW)]);
    expect(await look()).toMatchObject({ doubts: 2, lastDoubt: NOW + 800 });
    expect(await look(NOW + 900_000)).toMatchObject({ doubts: 1 });
    await keepGrant(db(), 'g3');
    await storeRotation(db(), version('g3'), { ...pair, answeredAt: NOW + 1000, now: NOW + 1000 });
    expect(await look(NOW + 1000)).toMatchObject({ doubts: 0 });
  });

  test('a new consent is no good answer to a refresh', async () => {
    await lose('g1', NOW - 1000);
    await keepGrant(db(), 'g2', { rotated_at: NOW - 500 });
    expect(await look()).toMatchObject({ doubts: 1, goodAt: 0 });
  });

  test('a process that ended, and a proof that nothing was spent, are no lost answers', async () => {
    await lose('g1', NOW, { isHeard: false });
    await lose('g2', NOW - 1000);
    const again = { ...decided('again'), from: 'in_doubt', seenClaim: 'of-g2' } as const;
    await claimPresenting(db(), version('g2'), again);
    await releaseClaim(db(), version('g2'), { to: 'in_doubt', claimId: 'again', retryAt: 0, now: NOW });
    expect(await look()).toMatchObject({ doubts: 0, flying: 0 });
  });

  test('a lost answer counts on when its grant has been given up', async () => {
    await lose('g1', NOW - 1000);
    await markDead(db(), version('g1'), { cause: 'lost', now: NOW, eraseTokens: false });
    expect(await look()).toMatchObject({ doubts: 1 });
  });

  test('presentations under way count until they are older than any process waits', async () => {
    for (const [id, age] of Object.entries({ g1: 25_000, g2: 4_000, g3: 10 })) {
      await keepGrant(db(), id);
      await claimPresenting(db(), version(id), decided(id, NOW - age));
    }
    expect(await look()).toMatchObject({ flying: 2, flyingSince: NOW - 4_000 });
  });

  test('accounts that live or lost a grant lately are counted once each, the living up to a limit', async () => {
    for (const account of ['p', 'q', 'r', 's'])
      await upsertAccount(db(), { account_id: account, updated_at: 0 });
    const count = (from: number, limit = 50) =>
      countAccounts(db(), { causes: ['superseded'], from, to: NOW, limit });
    expect(await count(0)).toBe(0);
    for (const id of ['p1', 'p2', 'q1', 'q2', 'r1', 's1'])
      await keepGrant(db(), id, { account_id: id.charAt(0) });
    expect([await count(0), await count(0, 3)]).toEqual([4, 3]);
    const dead = { cause: 'superseded', now: NOW, eraseTokens: false } as const;
    for (const id of ['p1', 'q1', 'q2']) await markDead(db(), version(id), dead);
    await markDead(db(), version('r1'), { ...dead, now: NOW - 60_000 });
    await markDead(db(), version('s1'), { ...dead, cause: 'refused' });
    expect([await count(NOW - 60_000), await count(NOW - 60_001)]).toEqual([2, 3]);
  });

  test('of many that stop refreshing after deaths, one does', async () => {
    const stops = Array.from({ length: 10 }, (_, number) =>
      stopForDeaths((number % 2 ? stores.one : stores.two).durable, NOW),
    );
    expect((await Promise.all(stops)).filter(Boolean)).toHaveLength(1);
    expect(await look()).toMatchObject({ deathsUntil: NOW + 300_000, turn: 1 });
  });

  test('one whose clock is a little behind does not stop it again, and ends what a wrong clock wrote', async () => {
    await stopForDeaths(db(), NOW);
    expect(await stopForDeaths(db(), NOW - 900)).toBe(false);
    expect(await stopForDeaths(db(), NOW - 3_600_000)).toBe(true);
  });
});
