import { insertGrant } from '../../../src/store/grants/grants.ts';
import { claimCode, findCode, insertCode, voidCodes } from '../../../src/store/authorization/legacy-codes.ts';
import { insertMapping } from '../../../src/store/tokens/mappings.ts';
import { ACCOUNT, APP, codeRow, grantRow, keepAppAndAccount } from '../support/rows.ts';
import { databaseKinds, openTwoStores, type TwoStores } from '../support/stores.ts';

/** A code is spent once, within its time, together with the mapping that it is spent for. */

describe.each(databaseKinds)('on %s', (kind) => {
  let stores: TwoStores;

  beforeAll(async () => {
    stores = await openTwoStores(kind);
    await keepAppAndAccount(stores.one.durable);
    await insertGrant(stores.one.durable, grantRow('g1'));
  });

  beforeEach(async () => {
    await stores.one.durable.deleteFrom('legacy_codes').execute();
    await stores.one.durable.deleteFrom('mappings').execute();
    await insertCode(stores.one.durable, codeRow);
  });

  afterAll(() => stores.close());

  const spend = (now: number, { store = stores.one, mappingId = 'm', clientId = APP } = {}) =>
    store.transaction(async (tx) => {
      const claimed = await claimCode(tx, { codeDigest: 'c', clientId, mappingId, now });
      if (!claimed) return false;
      await insertMapping(tx, {
        id: mappingId,
        token_digest: `digest of ${mappingId}`,
        client_id: APP,
        account_id: ACCOUNT,
        grant_id: 'g1',
        state: 'active',
        source: 'issued',
        created_at: now,
        updated_at: now,
      });
      return true;
    });

  test.each([
    ['at 29.999 s', true, 30_999],
    ['at 30.000 s', false, 31_000],
    ['by a clock that was set back by an hour', false, 2_000 - 3_600_000],
  ])('a code %s: claimed is %p', async (_name, won, now) => {
    expect(await spend(now)).toBe(won);
  });

  test('of many spends of one code exactly one wins, and its mapping is the only one', async () => {
    const spends = Array.from({ length: 20 }, (_, n) => spend(2_000, { mappingId: `m${n}` }));
    const won = await Promise.all(spends);
    expect(won.filter(Boolean)).toHaveLength(1);
    const mappings = await stores.two.durable.selectFrom('mappings').select('id').execute();
    expect(mappings).toEqual([{ id: `m${won.indexOf(true)}` }]);
    expect(await findCode(stores.two.durable, ['other', 'c'])).toMatchObject({
      used_at: 2_000,
      mapping_id: `m${won.indexOf(true)}`,
    });
  });

  test('a code is not spent for another app, nor after it was ended', async () => {
    expect(await spend(2_000, { clientId: 'another' })).toBe(false);
    await voidCodes(stores.two.durable, { clientId: APP, accountId: ACCOUNT }, 3_000);
    expect(await spend(4_000)).toBe(false);
  });

  test('a spend whose mapping cannot be kept leaves the code good', async () => {
    const broken = stores.one.transaction((tx) =>
      claimCode(tx, { codeDigest: 'c', clientId: APP, mappingId: 'missing', now: 2_000 }),
    );
    await expect(broken).rejects.toMatchObject({
      code: kind === 'sqlite' ? 'SQLITE_CONSTRAINT_FOREIGNKEY' : '23503',
    });
    expect(await spend(2_500)).toBe(true);
  });
});
