import { insertMapping } from '../../../src/store/tokens/mappings.ts';
import { type ClaimDecision, claimPresenting } from '../../../src/store/grants/claim-presenting.ts';
import {
  endRest,
  markInDoubt,
  redatePresentation,
  releaseClaim,
  restUntil,
  reviveWithRotation,
  storeRotation,
} from '../../../src/store/grants/presentations.ts';
import { insertGrant } from '../../../src/store/grants/grants.ts';
import { upsertAccount } from '../../../src/store/accounts/accounts.ts';
import { readInstance, type SeenInstance } from '../../../src/store/instance/instance.ts';
import type { Grant, GrantState, NewGrant } from '../../../src/store/tables/tables.ts';
import { ACCOUNT, APP, grantRow, keepAppAndAccount, keepGrant } from '../support/rows.ts';
import { databaseKinds, openTwoStores, type TwoStores } from '../support/stores.ts';

/**
 * Each statement about a presentation changes the row of its version in its state, the whole of what belongs to the
 * change, and no other row.
 */

const HOUR = 3_600_000;

/** A row in which every column has a value that no statement writes. */
const FULL: Partial<NewGrant> = {
  version: 3,
  attempts: 2,
  claim_id: 'c1',
  presented_at: 901,
  doubt_since: 902,
  doubted_at: 903,
  retry_at: 5,
  put_off_at: 904,
  restored_at: 905,
  rotated_at: 906,
  updated_at: 907,
};

const pair = {
  accessTokenSealed: 'x2',
  refreshTokenSealed: 'y2',
  scope: 's2',
  accessExpiresAt: 20_000,
  refreshAt: 18_000,
  answeredAt: 40,
  now: 50,
};

/** What a row holds after a new pair. */
const ROTATED = {
  state: 'ready',
  version: 4,
  access_token_sealed: 'x2',
  refresh_token_sealed: 'y2',
  scope: 's2',
  access_expires_at: 20_000,
  refresh_at: 18_000,
  attempts: 0,
  claim_id: null,
  presented_at: null,
  doubt_since: null,
  retry_at: 0,
  restored_at: null,
  dead_at: null,
  dead_cause: null,
  rotated_at: 40,
  updated_at: 50,
};

describe.each(databaseKinds)('on %s', (kind) => {
  let stores: TwoStores;
  let instance: SeenInstance;
  const db = () => stores.one.durable;

  beforeAll(async () => {
    stores = await openTwoStores(kind);
    await keepAppAndAccount(db());
    instance = await readInstance(db());
  });

  beforeEach(async () => {
    await db().deleteFrom('mappings').execute();
    await db().deleteFrom('grants').execute();
  });

  afterAll(() => stores.close());

  const decision = (changes: Partial<ClaimDecision> = {}): ClaimDecision => ({
    from: 'ready',
    seenClaim: 'c1',
    claimId: 'c2',
    now: 50,
    instance,
    ...changes,
  });

  const rows = async () => {
    const all = await stores.two.durable.selectFrom('grants').selectAll().orderBy('id').execute();
    return new Map(all.map((row) => [row.id, row]));
  };

  type Version = { id: string; version: number };

  /** A statement, the states that it is for, and what it changes in the row. */
  const STATEMENTS: Array<[string, GrantState[], (of: Version) => Promise<unknown>, Partial<Grant>]> = [
    [
      'a claim',
      ['ready'],
      (of) => claimPresenting(db(), of, decision()),
      {
        state: 'presenting',
        claim_id: 'c2',
        presented_at: 50,
        doubted_at: null,
        put_off_at: null,
        attempts: 3,
        updated_at: 50,
      },
    ],
    [
      'a second claim',
      ['in_doubt'],
      (of) => claimPresenting(db(), of, decision({ from: 'in_doubt' })),
      {
        state: 'presenting',
        claim_id: 'c2',
        presented_at: 50,
        doubted_at: null,
        put_off_at: null,
        attempts: 3,
        updated_at: 50,
      },
    ],
    [
      'a release',
      ['presenting'],
      (of) => releaseClaim(db(), of, { to: 'in_doubt', claimId: 'c1', retryAt: 70, now: 50 }),
      { state: 'in_doubt', retry_at: 70, updated_at: 50 },
    ],
    [
      'a rest',
      ['ready', 'in_doubt'],
      (of) => restUntil(db(), of, { retryAt: 70, putOffAt: 60 }),
      { retry_at: 70, put_off_at: 60, attempts: 3 },
    ],
    [
      'the end of a rest',
      ['ready'],
      (of) => endRest(db(), { ...of, put_off_at: 904 }),
      { retry_at: 0, put_off_at: null },
    ],
    [
      'a doubt that was heard',
      ['presenting'],
      (of) => markInDoubt(db(), of, { claimId: 'c1', retryAt: 70, now: 50, isHeard: true }),
      { state: 'in_doubt', doubted_at: 50, retry_at: 70, updated_at: 50 },
    ],
    [
      'a doubt',
      ['presenting'],
      (of) => markInDoubt(db(), of, { claimId: 'c1', retryAt: 70, now: 50 }),
      { state: 'in_doubt', doubted_at: null, retry_at: 70, updated_at: 50 },
    ],
    [
      'a rotation',
      ['ready', 'presenting', 'in_doubt'],
      (of) => storeRotation(db(), of, pair),
      ROTATED as Partial<Grant>,
    ],
    [
      'a new date',
      ['in_doubt'],
      (of) => redatePresentation(db(), of, { seen: 901, now: 50 }),
      { presented_at: 50 },
    ],
    ['a revival', ['dead'], (of) => reviveWithRotation(db(), of, pair), ROTATED as Partial<Grant>],
  ];

  const STATES: GrantState[] = ['ready', 'presenting', 'in_doubt', 'dead'];

  /** The grant and another one, both in that state and with a token that stopped. */
  async function keepTwo(state: GrantState): Promise<void> {
    const death = state === 'dead' ? ({ dead_at: 908, dead_cause: 'lost' } as const) : {};
    for (const id of ['g1', 'g2']) {
      await keepGrant(db(), id, { ...FULL, state, ...death });
      await insertMapping(db(), {
        id: `m-${id}`,
        token_digest: `d-${id}`,
        client_id: APP,
        account_id: ACCOUNT,
        grant_id: id,
        state: 'reauthorization_required',
        reason: 'grant_lost',
        source: 'issued',
        created_at: 0,
        updated_at: 0,
      });
    }
  }

  describe.each(STATEMENTS)('%s', (_name, states, run, changes) => {
    test.each(STATES)('of a grant that is %s', async (state) => {
      await keepTwo(state);
      const before = await rows();
      for (const version of [2, 4]) await run({ id: 'g1', version });
      expect(await rows()).toEqual(before);
      await run({ id: 'g1', version: 3 });
      const after = states.includes(state) ? { ...before.get('g1'), ...changes } : before.get('g1');
      expect((await rows()).get('g1')).toEqual(after);
      expect((await rows()).get('g2')).toEqual(before.get('g2'));
    });
  });

  const claims = async (changes: Partial<ClaimDecision> = {}, version = 3) => {
    const isMade = await claimPresenting(db(), { id: 'g1', version }, decision(changes));
    await db().updateTable('grants').set({ state: 'ready', claim_id: 'c1' }).where('id', '=', 'g1').execute();
    return isMade;
  };

  test('a rest of an hour is waited for, and a longer one was written by a wrong clock', async () => {
    await keepGrant(db(), 'g1', { ...FULL, state: 'ready', retry_at: 50 + HOUR });
    expect(await claims()).toBe(false);
    await db()
      .updateTable('grants')
      .set({ retry_at: 51 + HOUR })
      .execute();
    expect(await claims()).toBe(true);
  });

  test('a claim that may only be made alone looks at the same account and client, dead grants but for a pair that was handed over', async () => {
    await upsertAccount(db(), { account_id: 'c'.repeat(24), updated_at: 0 });
    await keepGrant(db(), 'g1', { ...FULL, state: 'ready' });
    const isAlone = () => claims({ ifAlone: true });
    await keepGrant(db(), 'g2', { account_id: 'c'.repeat(24) });
    await keepGrant(db(), 'g3', { modern_client_id: 'of-its-own' });
    await keepGrant(db(), 'g4', { state: 'dead', dead_cause: 'lost', dead_at: 1 });
    expect(await isAlone()).toBe(true);
    await keepGrant(db(), 'g5', { state: 'dead', dead_cause: 'handed_over', dead_at: 1 });
    expect([await isAlone(), await claims()]).toEqual([false, true]);
    await db().deleteFrom('grants').where('id', '=', 'g5').execute();
    await keepGrant(db(), 'g6');
    expect([await isAlone(), await claims()]).toEqual([false, true]);
  });

  test('a claim is refused when this database is not the one that was seen', async () => {
    await keepGrant(db(), 'g1', { ...FULL, state: 'ready' });
    const { id, epoch } = instance;
    expect(await claims({ instance: { id: 'another', epoch } })).toBe(false);
    expect(await claims({ instance: { id, epoch: epoch + 1 } })).toBe(false);
    expect(await claims()).toBe(true);
  });

  test('a claim that goes by the breaker is refused once its turn has passed', async () => {
    await keepGrant(db(), 'g1', { ...FULL, state: 'ready', doubted_at: null });
    const { turn } = await db().selectFrom('refresh_breaker').select('turn').executeTakeFirstOrThrow();
    const breaker = { turn, goodAt: 0, since: 0 };
    expect(await claims({ breaker: { ...breaker, turn: turn + 1 } })).toBe(false);
    expect(await claims({ breaker })).toBe(true);
  });

  test('a pair whose answer has no date, or came later than now by its clock, is dated by what is known', async () => {
    await keepGrant(db(), 'g1', { ...FULL, state: 'presenting' });
    await storeRotation(db(), { id: 'g1', version: 3 }, { ...pair, answeredAt: undefined });
    expect((await rows()).get('g1')).toMatchObject({ version: 4, rotated_at: 906 });
    await storeRotation(db(), { id: 'g1', version: 4 }, { ...pair, answeredAt: 60, next: 9 });
    expect((await rows()).get('g1')).toMatchObject({ version: 9, rotated_at: 50 });
  });

  test.each<[string, Partial<NewGrant>, boolean]>([
    ['a newer grant that died', { created_at: 11, state: 'dead', dead_cause: 'lost', dead_at: 1 }, false],
    [
      'a grant of the same moment that died',
      { created_at: 10, state: 'dead', dead_cause: 'lost', dead_at: 1 },
      true,
    ],
    ['an older grant that lives', { created_at: 9 }, false],
    ['a newer grant of another account', { created_at: 11, account_id: 'c'.repeat(24) }, true],
    ['a newer grant of another app', { created_at: 11, client_id: 'app-of-g7' }, true],
  ])('a revival beside %s', async (_what, other, isRevived) => {
    await keepGrant(db(), 'g7', { state: 'dead', dead_cause: 'lost', dead_at: 1 });
    await db().deleteFrom('grants').execute();
    await upsertAccount(db(), { account_id: 'c'.repeat(24), updated_at: 0 });
    const dead = { state: 'dead', dead_cause: 'lost', dead_at: 1 } as const;
    await insertGrant(db(), grantRow('g1', { ...dead, created_at: 10 }));
    await insertGrant(db(), grantRow('g2', other));
    const stopped = { state: 'reauthorization_required', reason: 'grant_lost', source: 'issued' } as const;
    const at = { created_at: 0, updated_at: 0 };
    const ids = { id: 'm1', token_digest: 'd1', client_id: APP, account_id: ACCOUNT, grant_id: 'g1' };
    await insertMapping(db(), { ...ids, ...stopped, ...at });
    expect(await reviveWithRotation(db(), { id: 'g1', version: 1 }, pair)).toBe(isRevived);
  });
});
