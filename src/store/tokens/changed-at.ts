import { type Expression, sql } from 'kysely';
import type { MappingState } from '../tables/tables.ts';

const SERVED_OR_NEW: readonly MappingState[] = ['unmapped', 'active'];

/**
 * `updated_at` of a token whose app, holder or data change while its state stays. Pages, the staff API and the log say
 * from `updated_at` since when a token has stopped or ended, so such a token keeps its time.
 */
export const changedAt = (now: number): Expression<number> =>
  sql<number>`case when state in (${sql.join(SERVED_OR_NEW.map((state) => sql.lit(state)))})
    then ${now} else updated_at end`;
