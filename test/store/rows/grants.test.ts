import {
  countSiblings,
  eraseDeadBefore,
  findGrant,
  insertGrant,
  listDeathTimes,
  listIdle,
  listUnsettled,
} from '../../../src/store/grants/grants.ts';
import { isConstraintFailure } from '../../../src/store/driver/storage-fault.ts';
import { grantRow, keepAppAndAccount, keepGrant } from '../support/rows.ts';
import { countLiveUpTo } from '../../../src/store/grants/deaths.ts';
import { databaseKinds, openTwoStores, type TwoStores } from '../support/stores.ts';

/** Which grants wait for a look, which live, and what remains of those that died. */

const idsOf = (rows: Array<{ id: string }>) => rows.map(({ id }) => id);

describe.each(databaseKinds)('on %s', (kind) => {
  let stores: TwoStores;
  const db = () => stores.one.durable;

  beforeAll(async () => {
    stores = await openTwoStores(kind);
    await keepAppAndAccount(db());
  });

  beforeEach(async () => {
    await db().deleteFrom('grants').execute();
  });

  afterAll(() => stores.close());

  test('an app and account have one live grant, and any number of dead ones', async () => {
    await insertGrant(db(), grantRow('g1', { state: 'dead' }));
    await insertGrant(db(), grantRow('g2', { state: 'dead' }));
    await insertGrant(db(), grantRow('g3'));
    const second = insertGrant(stores.two.durable, grantRow('g4', { state: 'in_doubt' }));
    expect(isConstraintFailure(await second.catch((error: unknown) => error))).toBe(true);
  });

  test('idle grants are ready, of an old pair and need not rest; the oldest come first', async () => {
    await keepGrant(db(), 'young', { rotated_at: 501 });
    await keepGrant(db(), 'second', { rotated_at: 500 });
    await keepGrant(db(), 'first', { rotated_at: 100 });
    await keepGrant(db(), 'resting', { rotated_at: 50, retry_at: 1_001 });
    await keepGrant(db(), 'doubtful', { rotated_at: 50, state: 'in_doubt' });
    await keepGrant(db(), 'presenting', { rotated_at: 50, state: 'presenting' });
    await keepGrant(db(), 'dead', { rotated_at: 50, state: 'dead' });
    const asked = { before: 500, now: 1_000, limit: 10 };
    expect(idsOf(await listIdle(db(), asked))).toEqual(['first', 'second']);
    expect(idsOf(await listIdle(db(), { ...asked, limit: 1 }))).toEqual(['first']);
  });

  test('idle grants that failed before take no place of the others; the one that rested first comes first', async () => {
    await keepGrant(db(), 'failed last', { rotated_at: 10, retry_at: 900 });
    await keepGrant(db(), 'failed first', { rotated_at: 20, retry_at: 800 });
    await keepGrant(db(), 'whole', { rotated_at: 400 });
    await keepGrant(db(), 'young', { rotated_at: 501, retry_at: 700 });
    await keepGrant(db(), 'of a wrong clock', { rotated_at: 10, retry_at: 9_000_000 });
    const asked = { before: 500, now: 1_000, limit: 1 };
    expect(idsOf(await listIdle(db(), asked))).toEqual(['whole', 'failed first']);
    const all = ['whole', 'failed first', 'failed last', 'of a wrong clock'];
    expect(idsOf(await listIdle(db(), { ...asked, limit: 10 }))).toEqual(all);
  });

  test('unsettled grants are presenting or in doubt and need not rest; the longest unseen come first', async () => {
    await keepGrant(db(), 'ready', { presented_at: 1 });
    await keepGrant(db(), 'dead', { presented_at: 1, state: 'dead' });
    await keepGrant(db(), 'resting', { presented_at: 1, state: 'in_doubt', retry_at: 1_001 });
    await keepGrant(db(), 'third', { presented_at: 1, state: 'in_doubt', retry_at: 30 });
    await keepGrant(db(), 'second', { presented_at: 20, state: 'presenting', retry_at: 10 });
    await keepGrant(db(), 'first', { presented_at: 10, state: 'in_doubt', retry_at: 10 });
    await keepGrant(db(), 'restored', { presented_at: 5, state: 'in_doubt', restored_at: 5 });
    const asked = { now: 1_000, limit: 10 };
    expect(idsOf(await listUnsettled(db(), asked))).toEqual(['first', 'second', 'third']);
    expect(idsOf(await listUnsettled(db(), { ...asked, limit: 1 }))).toEqual(['first']);
  });

  test('the times of death are those of the asked causes, newest first', async () => {
    const dead = { state: 'dead' } as const;
    const causes = ['refused', 'lost'] as const;
    await keepGrant(db(), 'g1', { ...dead, dead_cause: 'refused', dead_at: 10 });
    await keepGrant(db(), 'g2', { ...dead, dead_cause: 'lost', dead_at: 30 });
    await keepGrant(db(), 'g3', { ...dead, dead_cause: 'deauthorized', dead_at: 40 });
    await keepGrant(db(), 'g4', { ...dead, dead_cause: 'replaced', dead_at: 50 });
    await keepGrant(db(), 'g5', { ...dead, dead_cause: 'refused', dead_at: 20 });
    expect(await listDeathTimes(db(), { causes, until: 30, limit: 10 })).toEqual([30, 20, 10]);
    expect(await listDeathTimes(db(), { causes, until: 29, limit: 10 })).toEqual([20, 10]);
    expect(await listDeathTimes(db(), { causes, until: 50, limit: 2 })).toEqual([30, 20]);
  });

  test('what is counted are the live grants, as numbers', async () => {
    await keepGrant(db(), 'g1');
    await keepGrant(db(), 'g2', { state: 'in_doubt' });
    await keepGrant(db(), 'g3', { state: 'dead' });
    await keepGrant(db(), 'g4', { modern_client_id: 'of-its-own' });
    expect(await countLiveUpTo(db(), 10)).toBe(3);
    expect(await countSiblings(db(), grantRow('g1'))).toBe(1);
  });

  test('the pair of a dead grant is erased after its time, that of a live one never', async () => {
    await keepGrant(db(), 'late', { state: 'dead', dead_at: 99 });
    await keepGrant(db(), 'lately', { state: 'dead', dead_at: 100 });
    await keepGrant(db(), 'live');
    await eraseDeadBefore(stores.two.durable, 100);
    const kept = await Promise.all(['late', 'lately', 'live'].map((id) => findGrant(db(), id)));
    expect(kept.map((grant) => grant?.refresh_token_sealed)).toEqual([null, 'y', 'y']);
    expect(kept[0]?.access_token_sealed).toBeNull();
  });
});
