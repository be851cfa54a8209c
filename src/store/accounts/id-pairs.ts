import { chunksOf } from '../../shared/chunks-of.ts';
import type { IdKind } from '../tables/existing-token-tables.ts';
import type { Database } from '../driver/store.ts';

/** One profile or account by its ids at both APIs. */
export interface IdPair {
  kind: IdKind;
  legacyId: string;
  modernId: string;
}

/** Far below the number of parameters that both databases allow in one statement. */
const IDS_PER_STATEMENT = 2000;

/** The pairs of profiles and accounts with these new ids, in any order. */
export async function findPairs(db: Database, modernIds: readonly string[]): Promise<IdPair[]> {
  const pairs: IdPair[] = [];
  for (const some of chunksOf(modernIds, IDS_PER_STATEMENT)) {
    const rows = await db
      .selectFrom('id_pairs')
      .select(['kind', 'legacy_id', 'modern_id'])
      .where('kind', 'in', ['profile', 'account'])
      .where('modern_id', 'in', some)
      .execute();
    for (const { kind, legacy_id, modern_id } of rows)
      if (modern_id !== null) pairs.push({ kind, legacyId: legacy_id, modernId: modern_id });
  }
  return pairs;
}

/** The new id of a profile or account by its old id; undefined without a pair. */
export async function findModernId(
  db: Database,
  kind: IdKind,
  legacyId: string,
): Promise<string | undefined> {
  const row = await db
    .selectFrom('id_pairs')
    .select('modern_id')
    .where('kind', '=', kind)
    .where('legacy_id', '=', legacyId)
    .executeTakeFirst();
  return row?.modern_id ?? undefined;
}

/** What became of a pair: it is new, its new id already has a pair, or its old id stands for another new id. */
type LearnedPair = 'new' | 'known' | 'of another';

/**
 * Keeps a pair that the answers of both APIs showed, unless either id is already in another pair. An account that was
 * known only by an e-mail is known by its id from then on. Needs a transaction, because the function reads before it
 * writes.
 */
export async function learnPair(
  tx: Database,
  { kind, legacyId, modernId }: IdPair,
  now: number,
): Promise<LearnedPair> {
  const taken = await tx
    .selectFrom('id_pairs')
    .select('legacy_id')
    .where('kind', '=', kind)
    .where('modern_id', '=', modernId)
    .executeTakeFirst();
  if (taken) return 'known';
  const row = { kind, legacy_id: legacyId, modern_id: modernId, source: 'learned', created_at: now } as const;
  const kept = await tx
    .insertInto('id_pairs')
    .values(row)
    .onConflict((conflict) =>
      conflict
        .columns(['kind', 'legacy_id'])
        .doUpdateSet({ modern_id: modernId })
        .where('id_pairs.modern_id', 'is', null),
    )
    .executeTakeFirst();
  return kept.numInsertedOrUpdatedRows === 1n ? 'new' : 'of another';
}
