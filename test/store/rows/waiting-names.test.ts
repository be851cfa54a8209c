import fc from 'fast-check';
import { countDesk, deskKeys } from '../../../src/store/support/desks.ts';
import { waitingNames } from '../../../src/store/support/desk-sources.ts';
import { namesThatWait } from '../../../src/store/support/desks-without-account.ts';
import type { Database } from '../../../src/store/driver/store.ts';
import type { MappingState } from '../../../src/store/tables/tables.ts';
import { ACCOUNT, APP, keepAppAndAccount } from '../support/rows.ts';
import { databaseKinds, openTwoStores, type TwoStores } from '../support/stores.ts';

/** The names under which tokens wait are those that the tokens themselves say, whatever happens to the tokens. */

const token = fc.record({
  state: fc.constantFrom<MappingState>('unmapped', 'active', 'revoked', 'reauthorization_required'),
  account_id: fc.constantFrom(null, null, null, ACCOUNT),
  account_email: fc.constantFrom(null, 'a@list.example', 'b@list.example'),
  legacy_account_id: fc.constantFrom(null, 'old-1', 'old-2'),
});

const change = fc.record({ id: fc.nat(5), to: token });

type Token = (typeof token extends fc.Arbitrary<infer T> ? T : never) & { id: string };

async function put(db: Database, { id, ...row }: Token): Promise<void> {
  const changed = await db.updateTable('mappings').set(row).where('id', '=', id).executeTakeFirst();
  if (changed.numUpdatedRows > 0n) return;
  const fixed = { token_digest: `k.${id}`, client_id: APP, reason: null, source: 'imported' as const };
  await db
    .insertInto('mappings')
    .values({ ...fixed, ...row, id, created_at: 1, updated_at: 1 })
    .execute();
}

function expected(tokens: ReadonlyMap<string, Token>): Record<string, number> {
  const names: Record<string, number> = {};
  for (const {
    state,
    account_id: account,
    account_email: email,
    legacy_account_id: old,
  } of tokens.values()) {
    if (state !== 'unmapped' || account !== null || (email ?? old) === null) continue;
    const name = email === null ? `old:${old}` : `email:${email}`;
    names[name] = (names[name] ?? 0) + 1;
  }
  return names;
}

describe.each(databaseKinds)('on %s', (kind) => {
  let stores: TwoStores;
  let db: Database;

  beforeAll(async () => {
    stores = await openTwoStores(kind);
    db = stores.one.durable;
    await keepAppAndAccount(db);
  });
  afterAll(() => stores.close());

  test('after any changes the kept names and numbers are those of the tokens', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(change, { maxLength: 12 }), async (changes) => {
        await db.deleteFrom('mappings').execute();
        await db.deleteFrom('waiting_names').execute();
        const tokens = new Map<string, Token>();
        for (const { id, to } of changes) {
          const one = { ...to, id: `t${id}` };
          tokens.set(one.id, one);
          await put(db, one);
        }
        const kept = await db.selectFrom('waiting_names').select(['name', 'tokens']).execute();
        expect(Object.fromEntries(kept.map(({ name, tokens: n }) => [name, n]))).toEqual(expected(tokens));
      }),
      { numRuns: 60 },
    );
  });

  test('the desk names each with one of its tokens, the most tokens first, and counts both kinds', async () => {
    await db.deleteFrom('mappings').execute();
    await db.deleteFrom('waiting_names').execute();
    const row = { state: 'unmapped' as const, account_id: null };
    await put(db, { ...row, id: 't1', account_email: 'a@list.example', legacy_account_id: 'old-1' });
    await put(db, { ...row, id: 't2', account_email: 'a@list.example', legacy_account_id: null });
    await put(db, { ...row, id: 't3', account_email: null, legacy_account_id: 'old-1' });
    const source = waitingNames(db);
    expect(await countDesk(db, source)).toEqual({ all: 2, address: 1, 'old-id': 1 });
    const find = { text: 'a@l', clientIds: [], accountIds: [] };
    expect(await countDesk(db, source, find)).toEqual({ all: 1, address: 1, 'old-id': 0 });
    const keys = await deskKeys(db, source, { position: undefined });
    const names = await namesThatWait(
      db,
      keys.map(({ id }) => id),
    );
    const inOrder = keys.map(({ id }) => names.find((one) => one.id === id));
    expect(inOrder).toMatchObject([
      { email: 'a@list.example', legacyAccountId: null, tokens: 2, tokenId: 't1' },
      { email: null, legacyAccountId: 'old-1', tokens: 1, tokenId: 't3' },
    ]);
  });
});
