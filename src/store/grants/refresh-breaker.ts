import { type ExpressionBuilder, sql } from 'kysely';
import { BREAKER_LOOKS_BACK, DEATHS_STOP, PRESENTING_LIMIT } from '../../shared/lifetimes.ts';
import type { Database } from '../store.ts';
import type { Tables } from '../tables.ts';

/**
 * What the rows of all processes say of lost answers, and the one row by which processes take turns while answers are
 * being lost. The rules stand in domain/grants/breaker-rules.ts.
 */

/** What a claim may rest on: nothing was decided since, and no answer was lost since the last good one. */
export interface SeenBreaker {
  turn: number;
  /** When the last pair that a refresh token was exchanged for was stored; 0 when there was none lately. */
  goodAt: number;
  /** How far back lost answers count. */
  since: number;
}

/** The row, and what the grants say beside it. */
export interface BreakerView extends SeenBreaker {
  trippedAt: number | null;
  nextAt: number;
  pause: number;
  /** Until when nothing is refreshed because many grants died; a later time than possible is one of a wrong clock. */
  deathsUntil: number;
  /** How many answers were lost since the last good one. */
  doubts: number;
  /** How many presentations wait for their answer without a good one since they began, and since when the oldest does. */
  flying: number;
  flyingSince: number | null;
}

/** Everything that decides about the next presentation, read in one statement by indexes that hold few rows. */
export async function readBreaker(db: Database, now: number): Promise<BreakerView> {
  const since = now - BREAKER_LOOKS_BACK;
  const { rows } = await sql<BreakerView>`
    with good as (
      select coalesce((
        select rotated_at from grants
        where state = 'ready' and version > 1 and rotated_at > ${since} and rotated_at <= ${now}
        order by rotated_at desc limit 1
      ), 0) as at
    ), flying as (
      select count(*) as number, min(presented_at) as since from grants, good
      where state = 'presenting' and presented_at > ${now - PRESENTING_LIMIT} and presented_at <= ${now}
        and presented_at > good.at
    )
    select turn, tripped_at as "trippedAt", next_at as "nextAt", pause, deaths_until as "deathsUntil",
      good.at as "goodAt", flying.number as flying, flying.since as "flyingSince", (
        select count(*) from grants
        where doubted_at is not null and doubted_at > ${since} and doubted_at <= ${now} and doubted_at > good.at
      ) as doubts
    from refresh_breaker, good, flying`.execute(db);
  const [row] = rows;
  if (!row) throw new Error('the row of refresh_breaker is missing');
  return { ...row, since };
}

/** That the breaker is still as it was seen; for the condition of a claim. */
export const isUndisturbed =
  ({ turn, goodAt, since }: SeenBreaker) =>
  (eb: ExpressionBuilder<Tables, 'grants'>) =>
    eb.and([
      eb.exists(
        eb
          .selectFrom('refresh_breaker')
          .select('refresh_breaker.turn')
          .where('refresh_breaker.turn', '=', turn),
      ),
      eb.not(
        eb.exists(
          eb
            .selectFrom('grants as doubted')
            .select('doubted.id')
            .where('doubted.doubted_at', 'is not', null)
            .where('doubted.doubted_at', '>', Math.max(goodAt, since)),
        ),
      ),
    ]);

/** What one turn changes. */
export interface BreakerChange {
  tripped_at?: number | null;
  next_at?: number;
  pause?: number;
}

/** Takes the next turn with what it changes; false where another process was faster. */
export async function takeTurn(db: Database, seen: number, change: BreakerChange): Promise<boolean> {
  const result = await db
    .updateTable('refresh_breaker')
    .set({ ...change, turn: seen + 1 })
    .where('turn', '=', seen)
    .executeTakeFirst();
  return result.numUpdatedRows === 1n;
}

/** Stops all refreshing after many deaths; false while it is stopped already. */
export async function stopForDeaths(db: Database, now: number): Promise<boolean> {
  const result = await db
    .updateTable('refresh_breaker')
    .set((eb) => ({ deaths_until: now + DEATHS_STOP, turn: eb('turn', '+', 1) }))
    .where((eb) => eb.or([eb('deaths_until', '<=', now), eb('deaths_until', '>', now + DEATHS_STOP)]))
    .executeTakeFirst();
  return result.numUpdatedRows === 1n;
}
