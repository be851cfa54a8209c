import { claimPresenting } from '../../../src/store/grants/claim-presenting.ts';
import { findGrant, insertGrant, markDead } from '../../../src/store/grants/grants.ts';
import { insertMapping } from '../../../src/store/tokens/mappings.ts';
import {
  markInDoubt,
  postponeRefresh,
  redatePresentation,
  releaseClaim,
  reviveWithRotation,
  storeRotation,
} from '../../../src/store/grants/presentations.ts';
import { readInstance, type SeenInstance } from '../../../src/store/instance/instance.ts';
import type { DeathCause, NewMapping } from '../../../src/store/tables/tables.ts';
import { ACCOUNT, APP, grantRow, keepAppAndAccount, keepGrant } from '../support/rows.ts';
import { databaseKinds, openTwoStores, type TwoStores } from '../support/stores.ts';

/** What the claims of a presentation promise, each as one statement, from two connections to one database. */

const version = { id: 'g1', version: 1 };

let instance: SeenInstance;

const claimOf = (claimId: string, now: number, seenClaim: string | null = null) =>
  ({ from: 'ready', seenClaim, claimId, ifAlone: false, now, instance }) as const;

const newPair = {
  accessTokenSealed: 'x2',
  refreshTokenSealed: 'y2',
  scope: 's',
  accessExpiresAt: 20_000,
  refreshAt: 18_000,
  answeredAt: 4,
  now: 5,
};

describe.each(databaseKinds)('on %s', (kind) => {
  let stores: TwoStores;

  beforeAll(async () => {
    stores = await openTwoStores(kind);
    await keepAppAndAccount(stores.one.durable);
    instance = await readInstance(stores.one.durable);
  });

  beforeEach(async () => {
    await stores.one.durable.deleteFrom('mappings').execute();
    await stores.one.durable.deleteFrom('grants').execute();
    await insertGrant(stores.one.durable, grantRow('g1'));
  });

  afterAll(() => stores.close());

  const claim = (claimId: string, now: number) =>
    claimPresenting(stores.one.durable, version, claimOf(claimId, now));

  const current = async () => findGrant(stores.two.durable, 'g1');

  test('of many claims of one version, from two connections, exactly one wins', async () => {
    const claims = Array.from({ length: 40 }, (_, n) =>
      claimPresenting((n % 2 ? stores.one : stores.two).durable, version, claimOf(`c${n}`, n)),
    );
    const won = await Promise.all(claims);
    expect(won.filter(Boolean)).toHaveLength(1);
    expect(await current()).toMatchObject({
      state: 'presenting',
      claim_id: `c${won.indexOf(true)}`,
      attempts: 1,
    });
  });

  test('of many claims of one version in doubt, exactly one wins', async () => {
    await claim('c1', 10);
    await markInDoubt(stores.one.durable, version, { claimId: 'c1', retryAt: 0, now: 12 });
    const again = Array.from({ length: 40 }, (_, n) =>
      claimPresenting((n % 2 ? stores.one : stores.two).durable, version, {
        ...claimOf(`d${n}`, 400, 'c1'),
        from: 'in_doubt',
      }),
    );
    expect((await Promise.all(again)).filter(Boolean)).toHaveLength(1);
  });

  test('a claim that was decided before another presentation is refused, however its state looks by now', async () => {
    await claim('c1', 10);
    await markInDoubt(stores.one.durable, version, { claimId: 'c1', retryAt: 0, now: 12 });
    const decided = { ...claimOf('c2', 400, 'c1'), from: 'in_doubt' } as const;
    expect(await claimPresenting(stores.one.durable, version, decided)).toBe(true);
    await markInDoubt(stores.one.durable, version, { claimId: 'c2', retryAt: 0, now: 401 });
    expect(await claimPresenting(stores.two.durable, version, { ...decided, claimId: 'c3' })).toBe(false);
  });

  test('a claim that was decided before a release and another claim is refused, also in the same millisecond', async () => {
    await claim('c1', 10);
    await releaseClaim(stores.one.durable, version, { to: 'ready', claimId: 'c1', retryAt: 0, now: 10 });
    expect(await claimPresenting(stores.two.durable, version, claimOf('c2', 10))).toBe(false);
    expect(await claimPresenting(stores.two.durable, version, claimOf('c2', 10, 'c1'))).toBe(true);
  });

  test('a claim needs the version and the state that it names', async () => {
    expect(await claimPresenting(stores.one.durable, { id: 'g1', version: 2 }, claimOf('c1', 1))).toBe(false);
    expect(
      await claimPresenting(stores.one.durable, version, { ...claimOf('c1', 1), from: 'in_doubt' }),
    ).toBe(false);
  });

  test('a claim waits for the back-off, but not for one that a wrong clock wrote', async () => {
    await postponeRefresh(stores.two.durable, version, 100);
    expect([await claim('c1', 99), await claim('c1', 100)]).toEqual([false, true]);
    await releaseClaim(stores.one.durable, version, {
      to: 'ready',
      claimId: 'c1',
      retryAt: 9_000_000,
      now: 1,
    });
    expect(await claimPresenting(stores.one.durable, version, claimOf('c2', 1, 'c1'))).toBe(true);
  });

  test('a release by one holder does not take away the claim of a later one', async () => {
    await claim('c1', 10);
    const release = { to: 'ready', claimId: 'c0', retryAt: 0, now: 11 } as const;
    await releaseClaim(stores.two.durable, version, release);
    expect(await current()).toMatchObject({ state: 'presenting', claim_id: 'c1' });
  });

  test('a doubt about one claim says nothing of a later one', async () => {
    await claim('c1', 10);
    expect(await markInDoubt(stores.two.durable, version, { claimId: 'c0', retryAt: 0, now: 12 })).toBe(
      false,
    );
    expect(await current()).toMatchObject({ state: 'presenting' });
  });

  test('a claim from before claims had names comes in doubt like any other', async () => {
    await stores.one.durable.updateTable('grants').set({ state: 'presenting', presented_at: 10 }).execute();
    expect(await markInDoubt(stores.two.durable, version, { claimId: null, retryAt: 0, now: 12 })).toBe(true);
    expect(await current()).toMatchObject({ state: 'in_doubt', doubt_since: 12 });
  });

  test('a claim that may only be made alone waits while another grant of the account lives on the client', async () => {
    await keepGrant(stores.two.durable, 'g2', { state: 'in_doubt' });
    await keepGrant(stores.two.durable, 'g3', { modern_client_id: 'of-its-own' });
    await keepGrant(stores.two.durable, 'g4', { state: 'dead' });
    const alone = { ...claimOf('c1', 10), ifAlone: true };
    expect(await claimPresenting(stores.one.durable, version, alone)).toBe(false);
    await markDead(stores.two.durable, { id: 'g2' }, { cause: 'lost', now: 11, eraseTokens: false });
    expect(await claimPresenting(stores.one.durable, version, alone)).toBe(true);
  });

  test('a second doubt keeps the time of the first', async () => {
    await claim('c1', 10);
    await markInDoubt(stores.one.durable, version, { claimId: 'c1', retryAt: 0, now: 12 });
    const decided = { ...claimOf('c2', 400, 'c1'), from: 'in_doubt' } as const;
    await claimPresenting(stores.one.durable, version, decided);
    await markInDoubt(stores.two.durable, version, { claimId: 'c2', retryAt: 500, now: 401 });
    expect(await current()).toMatchObject({ doubt_since: 12, presented_at: 400, retry_at: 500, attempts: 2 });
  });

  test('a late answer is kept by compare on its version, also when the grant is in doubt by then', async () => {
    await claim('c1', 10);
    await markInDoubt(stores.two.durable, version, { claimId: 'c1', retryAt: 0, now: 12 });
    const kept = [stores.one, stores.two].map(({ durable }) => storeRotation(durable, version, newPair));
    expect((await Promise.all(kept)).filter(Boolean)).toHaveLength(1);
    expect(await current()).toMatchObject({
      state: 'ready',
      version: 2,
      claim_id: null,
      presented_at: null,
      doubt_since: null,
      attempts: 0,
      rotated_at: 4,
    });
  });

  test('a refusal of an older version does not end the newer pair', async () => {
    await claim('c1', 10);
    await storeRotation(stores.one.durable, version, newPair);
    const death = { cause: 'refused', now: 13, eraseTokens: false } as const;
    expect(await markDead(stores.two.durable, version, death)).toBe(false);
    expect(await markDead(stores.two.durable, { id: 'g1', version: 2 }, death)).toBe(true);
  });

  test('a grant that has ended takes no pair, no claim and no second death', async () => {
    await claim('c1', 10);
    const death = { cause: 'deauthorized', now: 13, eraseTokens: true } as const;
    expect(await markDead(stores.two.durable, { id: 'g1' }, death)).toBe(true);
    expect(await storeRotation(stores.one.durable, version, newPair)).toBe(false);
    expect(await claimPresenting(stores.one.durable, version, claimOf('c2', 20, 'c1'))).toBe(false);
    expect(await markDead(stores.one.durable, { id: 'g1' }, { ...death, cause: 'refused' })).toBe(false);
    expect(await current()).toMatchObject({ dead_cause: 'deauthorized', refresh_token_sealed: null });
  });

  const stopped: NewMapping = {
    id: 'm1',
    token_digest: 'd1',
    client_id: APP,
    account_id: ACCOUNT,
    grant_id: 'g1',
    state: 'reauthorization_required',
    reason: 'grant_lost',
    source: 'issued',
    created_at: 0,
    updated_at: 0,
  };

  /** The grant ended so at version 1, and a token stopped with it. */
  async function endOf(cause: DeathCause, mapping: Partial<NewMapping> = {}): Promise<void> {
    await markDead(stores.one.durable, { id: 'g1' }, { cause, now: 13, eraseTokens: true });
    await insertMapping(stores.one.durable, { ...stopped, ...mapping });
  }

  const revive = (from: { durable: TwoStores['one']['durable'] } = stores.one, at = version) =>
    reviveWithRotation(from.durable, at, newPair);

  test('a grant that ended because nobody knew the answer lives on with the answer, once', async () => {
    await endOf('lost');
    const revivals = Array.from({ length: 8 }, (_, n) => revive(n % 2 ? stores.one : stores.two));
    expect((await Promise.all(revivals)).filter(Boolean)).toHaveLength(1);
    expect(await current()).toMatchObject({
      state: 'ready',
      version: 2,
      refresh_token_sealed: 'y2',
      dead_at: null,
      dead_cause: null,
      claim_id: null,
    });
  });

  test('a revival by an answer without a date keeps the date of the pair before', async () => {
    await stores.one.durable.updateTable('grants').set({ rotated_at: 3 }).execute();
    await endOf('lost');
    expect(await reviveWithRotation(stores.one.durable, version, { ...newPair, answeredAt: undefined })).toBe(
      true,
    );
    expect(await current()).toMatchObject({ version: 2, rotated_at: 3 });
  });

  test('so does one that only the original of a copy was thought to know', async () => {
    await endOf('superseded', { reason: 'grant_superseded' });
    expect(await revive()).toBe(true);
  });

  test.each<DeathCause>(['deauthorized', 'replaced', 'refused', 'handed_over'])(
    'a grant that ended as %s never lives again',
    async (cause) => {
      await endOf(cause, { reason: 'grant_lost' });
      expect(await revive()).toBe(false);
      expect(await current()).toMatchObject({ state: 'dead', dead_cause: cause, version: 1 });
    },
  );

  test('a revival compares the version, and a living grant needs none', async () => {
    await insertMapping(stores.one.durable, stopped);
    expect(await revive()).toBe(false);
    await markDead(stores.one.durable, { id: 'g1' }, { cause: 'lost', now: 13, eraseTokens: false });
    for (const wrong of [0, 2]) expect(await revive(stores.two, { id: 'g1', version: wrong })).toBe(false);
    expect(await revive()).toBe(true);
  });

  test.each<[string, Partial<NewMapping>]>([
    ['was revoked', { state: 'revoked', reason: 'deauthorized' }],
    ['has moved to the new API', { state: 'migrated', reason: 'handed_over' }],
    ['was given to another app', { grant_id: null }],
    ['works by now', { state: 'active', reason: null }],
    ['stopped for another reason', { reason: 'grant_refused' }],
  ])('a grant whose only token %s since is not revived', async (_what, since) => {
    await endOf('lost', since);
    expect(await revive()).toBe(false);
    expect(await current()).toMatchObject({ state: 'dead', refresh_token_sealed: null });
  });

  test('a grant that a newer one has followed is not revived', async () => {
    await endOf('lost');
    await insertGrant(stores.two.durable, grantRow('g9'));
    expect(await revive()).toBe(false);
    await markDead(stores.two.durable, { id: 'g9' }, { cause: 'lost', now: 14, eraseTokens: false });
    expect(await revive()).toBe(true);
  });

  test('a presentation that a wrong clock dated into the future is dated anew, once', async () => {
    await claim('c1', 9_000);
    await markInDoubt(stores.one.durable, version, { claimId: 'c1', retryAt: 0, now: 9_001 });
    await redatePresentation(stores.one.durable, version, { seen: 9_000, now: 50 });
    await redatePresentation(stores.two.durable, version, { seen: 9_000, now: 60 });
    expect(await current()).toMatchObject({ state: 'in_doubt', presented_at: 50, restored_at: null });
  });

  test('the doubt of a take-over that a wrong clock dated into the future stays one of a take-over', async () => {
    await claim('c1', 9_000);
    await markInDoubt(stores.one.durable, version, { claimId: 'c1', retryAt: 0, now: 9_001 });
    await stores.one.durable.updateTable('grants').set({ restored_at: 9_000 }).execute();
    await redatePresentation(stores.one.durable, version, { seen: 9_000, now: 50 });
    expect(await current()).toMatchObject({ presented_at: 50, restored_at: 50 });
  });
});
