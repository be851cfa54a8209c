import fc from 'fast-check';
import { countDesk, deskKeys } from '../../../src/store/support/desks.ts';
import { waitingNames } from '../../../src/store/support/desk-sources.ts';
import { namesThatWait } from '../../../src/store/support/desks-without-account.ts';
import { changeRetired } from '../../../src/store/apps/apps.ts';
import type { Database } from '../../../src/store/driver/store.ts';
import type { MappingState } from '../../../src/store/tables/tables.ts';
import { plansOf } from '../support/plans.ts';
import { ACCOUNT, APP, keepAppAndAccount, keepGrant } from '../support/rows.ts';
import { databaseKinds, openTwoStores, type TwoStores } from '../support/stores.ts';

/** The names under which tokens wait are those that the tokens themselves say, whatever happens to the tokens. */

/** An app that is retired in some turns. */
const OTHER_APP = 'app-of-other';

const token = fc.record({
  client_id: fc.constantFrom(APP, APP, OTHER_APP),
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
  const fixed = { token_digest: `k.${id}`, reason: null, source: 'imported' as const };
  await db
    .insertInto('mappings')
    .values({ ...fixed, ...row, id, created_at: 1, updated_at: 1 })
    .execute();
}

function expected(tokens: readonly Token[]): Record<string, number> {
  const names: Record<string, number> = {};
  for (const { state, account_id: account, account_email: email, legacy_account_id: old } of tokens) {
    if (state !== 'unmapped' || account !== null || (email ?? old) === null) continue;
    const name = email === null ? `old:${old}` : `email:${email}`;
    names[name] = (names[name] ?? 0) + 1;
  }
  return names;
}

/** The names that the desk lists, with their tokens of apps that live. */
async function listed(db: Database): Promise<Record<string, number>> {
  const source = waitingNames(db);
  const keys = await deskKeys(db, source, { position: undefined });
  expect((await countDesk(db, source))['all']).toBe(keys.length);
  const names = await namesThatWait(
    db,
    keys.map(({ id }) => id),
  );
  return Object.fromEntries(
    names.map(({ email, legacyAccountId: old, tokens }) => [
      email === null ? `old:${old}` : `email:${email}`,
      tokens,
    ]),
  );
}

describe.each(databaseKinds)('on %s', (kind) => {
  let stores: TwoStores;
  let db: Database;

  beforeAll(async () => {
    stores = await openTwoStores(kind);
    db = stores.one.durable;
    await keepAppAndAccount(db);
    await keepGrant(db, 'other');
  });
  afterAll(() => stores.close());

  test('after any changes the kept names and numbers are those of the tokens', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(change, { maxLength: 12 }), fc.boolean(), async (changes, isRetired) => {
        await db.deleteFrom('mappings').execute();
        await db.deleteFrom('waiting_names').execute();
        const tokens = new Map<string, Token>();
        for (const { id, to } of changes) {
          const one = { ...to, id: `t${id}` };
          tokens.set(one.id, one);
          await put(db, one);
        }
        const kept = await db.selectFrom('waiting_names').select(['name', 'tokens']).execute();
        const all = [...tokens.values()];
        expect(Object.fromEntries(kept.map(({ name, tokens: n }) => [name, n]))).toEqual(expected(all));
        if (isRetired) await changeRetired(db, OTHER_APP, { from: null, to: 1 });
        const live = all.filter(({ client_id: app }) => !isRetired || app === APP);
        expect(await listed(db)).toEqual(expected(live));
        if (isRetired) await changeRetired(db, OTHER_APP, { from: 1, to: null });
      }),
      { numRuns: 60 },
    );
  });

  test('the desk names each with one of its tokens, the most tokens first, and counts both kinds', async () => {
    await db.deleteFrom('mappings').execute();
    await db.deleteFrom('waiting_names').execute();
    const row = { client_id: APP, state: 'unmapped' as const, account_id: null };
    await put(db, { ...row, id: 't1', account_email: 'a@list.example', legacy_account_id: 'old-1' });
    await put(db, { ...row, id: 't2', account_email: 'a@list.example', legacy_account_id: null });
    await put(db, { ...row, id: 't3', account_email: null, legacy_account_id: 'old-1' });
    const source = waitingNames(db);
    expect(await countDesk(db, source)).toEqual({ all: 2, address: 1, 'old-id': 1 });
    const find = { texts: ['a@l'], clientIds: [], accountIds: [] };
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

  if (kind === 'sqlite')
    test('the desk is read in the order of an index, and tokens of retired apps by their app', async () => {
      const plans = await plansOf(db, (watched) =>
        deskKeys(watched, waitingNames(watched), { position: undefined }),
      );
      expect(plans).toContainEqual(
        expect.stringMatching(/^SCAN d USING COVERING INDEX waiting_names_by_tokens/),
      );
      expect(plans).toContainEqual(expect.stringMatching(/^SEARCH m USING INDEX mappings_by_state /));
      expect(plans).toContainEqual(expect.stringMatching(/^SEARCH r USING AUTOMATIC COVERING INDEX /));
      expect(plans.join()).not.toContain('ORDER BY');
    });
});
