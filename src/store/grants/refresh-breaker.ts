import { type ExpressionBuilder, sql } from 'kysely';
import {
  ANSWERS_SPEAK,
  BREAKER_LOOKS_BACK,
  CLOCKS_DIFFER,
  DEATHS_STOP,
  PRESENTING_LIMIT,
} from '../../shared/lifetimes.ts';
import { builtOnce } from '../driver/built-once.ts';
import type { Database, Store } from '../driver/store.ts';
import type { Tables } from '../tables/tables.ts';

/**
 * The rows of all processes about lost answers, and the one row by which processes take turns while answers are lost.
 * The rules are in domain/grants/refresh/stop/breaker-rules.ts.
 */

/** The basis of a claim: no decision since this turn, and no lost answer since the last good answer. */
export interface SeenBreaker {
  turn: number;
  /** When the answer with the last refreshed pair came; 0 when none came lately. */
  goodAt: number;
  /** Lost answers count from this time on. */
  since: number;
}

/** The most good answers of the last seconds that are counted. */
export const GOOD_COUNTED = 5;

/** The breaker's row, and the matching counts of grants. */
export interface BreakerView extends SeenBreaker {
  /** How many good answers came in the last seconds, up to `GOOD_COUNTED`. */
  goodLately: number;
  trippedAt: number | null;
  nextAt: number;
  pause: number;
  /** The end of the stop after many deaths. A time later than possible comes from a wrong clock. */
  deathsUntil: number;
  /** How many answers were lost since the last good answer. */
  doubts: number;
  /** When the last answer was lost, even if good answers followed; null when none was lost. */
  lastDoubt: number | null;
  /**
   * How many presentations wait for their answer without a good answer since they began, and since when the oldest one
   * waits.
   */
  flying: number;
  flyingSince: number | null;
}

interface BreakerTimes {
  now: number;
  /** Lost answers count from this time on. */
  since: number;
  /** Presentations under way count from this time on. */
  flyingSince: number;
  /** Good answers count from this time on. */
  goodSince: number;
}

const reading = builtOnce((db: Database, { now, since, flyingSince, goodSince }: BreakerTimes) =>
  sql<Omit<BreakerView, 'since'>>`
    with good as (
      select coalesce((
        select rotated_at from grants
        where state = 'ready' and version > 1 and rotated_at > ${since} and rotated_at <= ${now}
        order by rotated_at desc limit 1
      ), 0) as at
    )
    select turn, tripped_at as "trippedAt", next_at as "nextAt", pause, deaths_until as "deathsUntil",
      good.at as "goodAt", (
        select count(*) from (
          select rotated_at from grants
          where state = 'ready' and version > 1 and rotated_at > ${goodSince} and rotated_at <= ${now}
          limit ${sql.lit(GOOD_COUNTED)}
        ) as lately
      ) as "goodLately", (
        select count(*) from grants
        where state = 'presenting' and presented_at > ${flyingSince} and presented_at > good.at
      ) as flying, (
        select min(presented_at) from grants
        where state = 'presenting' and presented_at > ${flyingSince} and presented_at > good.at
      ) as "flyingSince", (
        select count(*) from grants
        where doubted_at is not null and doubted_at > ${since} and doubted_at > good.at
      ) as doubts, (
        select max(doubted_at) from grants where doubted_at is not null
      ) as "lastDoubt"
    from refresh_breaker, good`.compile(db),
);

/**
 * All data that decides about the next presentation, read in one statement by indexes with few rows. Each count is its
 * own subquery, because a joined count would be planned over all grants. Lost answers have no upper bound in time,
 * exactly as in `isUndisturbed`: an answer that counts in only one of the two would make every claim fail for ever.
 */
export async function readBreaker(db: Database, now: number): Promise<BreakerView> {
  const since = now - BREAKER_LOOKS_BACK;
  const times = { now, since, flyingSince: now - PRESENTING_LIMIT, goodSince: now - ANSWERS_SPEAK };
  const [row] = (await reading(db, times)).rows;
  if (!row) throw new Error('the row of refresh_breaker is missing');
  return { since, ...row };
}

/** How many grants were presented after a time (Unix milliseconds) and lost their answer, counted up to `limit`. */
export async function countLostSince(
  db: Database,
  { since, limit }: { since: number; limit: number },
): Promise<number> {
  const lost = db
    .selectFrom('grants')
    .select('id')
    .where('doubted_at', 'is not', null)
    .where('doubted_at', '>', since)
    .where('presented_at', '>', since)
    .limit(limit)
    .as('lost');
  const counted = await db
    .selectFrom(lost)
    .select((eb) => eb.fn.countAll<number | string>().as('n'))
    .executeTakeFirstOrThrow();
  return Number(counted.n);
}

/** No answer may be lost after this time, if the breaker is unchanged since it was seen. */
export const undoubtedSince = ({ goodAt, since }: SeenBreaker): number => Math.max(goodAt, since);

/** The condition of a claim that the breaker is unchanged since it was seen. */
export const isUndisturbed =
  ({ turn, undoubted }: { turn: number; undoubted: number }) =>
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
            .where('doubted.doubted_at', '>', undoubted),
        ),
      ),
    ]);

/** The changes of one turn. */
export interface BreakerChange {
  tripped_at?: number | null;
  next_at?: number;
  pause?: number;
}

/** From this call on, no other transaction that holds the turn runs in parallel. */
export async function holdTurn(tx: Database): Promise<void> {
  await tx
    .updateTable('refresh_breaker')
    .set((eb) => ({ turn: eb.ref('turn') }))
    .execute();
}

/** Takes the next turn with its changes; false when another process was faster. */
export async function takeTurn(db: Database, seen: number, change: BreakerChange): Promise<boolean> {
  const result = await db
    .updateTable('refresh_breaker')
    .set({ ...change, turn: seen + 1 })
    .where('turn', '=', seen)
    .executeTakeFirst();
  return result.numUpdatedRows === 1n;
}

/** Stops all refreshing after many deaths; false when refreshing is stopped already. */
export async function stopForDeaths(db: Database, now: number): Promise<boolean> {
  const result = await db
    .updateTable('refresh_breaker')
    .set((eb) => ({ deaths_until: now + DEATHS_STOP, turn: eb('turn', '+', 1) }))
    .where((eb) =>
      eb.or([eb('deaths_until', '<=', now), eb('deaths_until', '>', now + DEATHS_STOP + CLOCKS_DIFFER)]),
    )
    .executeTakeFirst();
  return result.numUpdatedRows === 1n;
}

/** Ends a stop after deaths whose end a wrong clock wrote, unless it has another end by now. */
export async function endStopOfDeaths(db: Database, until: number): Promise<void> {
  await db
    .updateTable('refresh_breaker')
    .set({ deaths_until: 0 })
    .where('deaths_until', '=', until)
    .execute();
}

/** Dates lost answers to now when a wrong clock dated the answers ahead. A good answer can then end the doubts. */
export async function redateDoubts({ transaction }: Pick<Store, 'transaction'>, now: number): Promise<void> {
  await transaction((tx) =>
    tx
      .updateTable('grants')
      .set({ doubted_at: now })
      .where('doubted_at', 'is not', null)
      .where('doubted_at', '>', now + CLOCKS_DIFFER)
      .execute(),
  );
}
