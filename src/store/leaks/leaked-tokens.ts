import { groupBy } from '../../shared/group-by.ts';
import { sql } from 'kysely';
import { isOneOf } from '../driver/many-rows.ts';
import type { Database } from '../driver/store.ts';
import type { Mapping } from '../tables/tables.ts';

/** Tokens that were found in a place that others can read: when each ends for that, and where it was found. */

/** The facts of a token that a report needs. */
export type ReportedToken = Pick<Mapping, 'id' | 'token_digest' | 'state' | 'hint_first' | 'hint_last'>;

/** The tokens with any of these digests, of retired apps too, in one statement. */
export async function listReportedTokens(db: Database, digests: readonly string[]): Promise<ReportedToken[]> {
  return db
    .selectFrom('mappings')
    .select(['id', 'token_digest', 'state', 'hint_first', 'hint_last'])
    .where(isOneOf(db, 'token_digest', digests))
    .execute();
}

/** The state of a token, read in the transaction that decides by it. */
export async function stateOfReported(tx: Database, mappingId: string): Promise<Mapping['state']> {
  const row = await tx
    .selectFrom('mappings')
    .select('state')
    .where('id', '=', mappingId)
    .executeTakeFirstOrThrow();
  return row.state;
}

interface NewLeak {
  mappingId: string;
  by: string;
  now: number;
  endsAt: number;
  /** The token has ended before, so there is nothing to end and nobody to tell. */
  hasEnded: boolean;
}

/**
 * Keeps that a token was found. A token that is known as found ends earlier where the new end is earlier; then whoever
 * reported that has decided its end.
 */
export async function keepLeak(
  tx: Database,
  { mappingId, by, now, endsAt, hasEnded }: NewLeak,
): Promise<void> {
  const settled = hasEnded ? now : null;
  await tx
    .insertInto('leaked_tokens')
    .values({
      mapping_id: mappingId,
      reported_at: now,
      reported_by: by,
      ends_at: endsAt,
      ended_at: settled,
      told_at: settled,
    })
    .onConflict((conflict) =>
      conflict
        .column('mapping_id')
        .doUpdateSet({ ends_at: endsAt, reported_by: by })
        .where('leaked_tokens.ended_at', 'is', null)
        .where('leaked_tokens.ends_at', '>', endsAt),
    )
    .execute();
}

/** The most places that are kept of one token. Whoever may report could name any number. */
const PLACES_MAX = 10;

/** Keeps one more place of a token; false where the place is known, or where enough places are known. */
export async function keepPlace(
  tx: Database,
  { mappingId, place, by, now }: { mappingId: string; place: string; by: string; now: number },
): Promise<boolean> {
  const known = tx
    .selectFrom('leak_places')
    .select((eb) => eb.fn.countAll<number>().as('places'))
    .where('mapping_id', '=', mappingId);
  const values = sql`select ${mappingId}, ${place}, cast(${now} as bigint), ${by} where (${known}) < ${PLACES_MAX}`;
  const result = await sql`insert into leak_places (mapping_id, place, reported_at, reported_by)
    ${values} on conflict do nothing`.execute(tx);
  return result.numAffectedRows === 1n;
}

/** A token whose end is due. */
export interface DueLeak {
  mapping_id: string;
  /** Whose report has decided the end. */
  reported_by: string;
}

interface DueQuery {
  now: number;
  limit: number;
  /** Only the tokens after this one. */
  after: string;
  /** Only these tokens. */
  only: readonly string[] | undefined;
}

/** The tokens that are due to be revoked, in the order of their ids. */
export async function listDueLeaks(db: Database, { now, limit, after, only }: DueQuery): Promise<DueLeak[]> {
  return db
    .selectFrom('leaked_tokens')
    .select(['mapping_id', 'reported_by'])
    .where('ended_at', 'is', null)
    .where('ends_at', '<=', now)
    .where('mapping_id', '>', after)
    .$if(only !== undefined, (query) => query.where(isOneOf(db, 'mapping_id', only ?? [])))
    .orderBy('mapping_id')
    .limit(limit)
    .execute();
}

/**
 * Claims the end of a token that is due, in the transaction that revokes it. False where another process has ended it.
 */
export async function claimLeakEnd(tx: Database, mappingId: string, now: number): Promise<boolean> {
  const result = await tx
    .updateTable('leaked_tokens')
    .set({ ended_at: now })
    .where('mapping_id', '=', mappingId)
    .where('ended_at', 'is', null)
    .where('ends_at', '<=', now)
    .executeTakeFirst();
  return result.numUpdatedRows === 1n;
}

/** What is kept of a token that was found. */
export interface Leak {
  reportedAt: number;
  endsAt: number;
  /** When the token ended, for its leak or otherwise. */
  endedAt: number | null;
  places: Array<{ place: string; at: number; by: string }>;
}

/** States that no token leaves, so that the last change of the token is its end. */
const HAS_ENDED: ReadonlySet<Mapping['state']> = new Set(['revoked', 'migrated']);

/** What is kept of these tokens, by mapping id. The places of a token come in the order of their reports. */
export async function readLeaks(db: Database, mappingIds: readonly string[]): Promise<Map<string, Leak>> {
  const tokens = await db
    .selectFrom('leaked_tokens')
    .innerJoin('mappings', 'mappings.id', 'mapping_id')
    .select(['mapping_id', 'reported_at', 'ends_at', 'state', 'updated_at'])
    .where(isOneOf(db, 'mapping_id', mappingIds))
    .execute();
  if (tokens.length === 0) return new Map();
  const places = await db
    .selectFrom('leak_places')
    .selectAll()
    .where(isOneOf(db, 'mapping_id', mappingIds))
    .orderBy('reported_at')
    .orderBy('place')
    .execute();
  const placesOf = groupBy(places, ({ mapping_id }) => mapping_id);
  return new Map(
    tokens.map(({ mapping_id: id, reported_at, ends_at, state, updated_at }) => [
      id,
      {
        reportedAt: reported_at,
        endsAt: ends_at,
        endedAt: HAS_ENDED.has(state) ? updated_at : null,
        places: (placesOf.get(id) ?? []).map(({ place, reported_at: at, reported_by: by }) => ({
          place,
          at,
          by,
        })),
      },
    ]),
  );
}
