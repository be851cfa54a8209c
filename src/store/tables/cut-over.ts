import type { ColumnType, Generated } from 'kysely';

/** The rows of a cut-over to the new API before the retirement. */

type Nullable<T> = ColumnType<T | null, T | null | undefined, T | null>;

/**
 * Columns of `apps`: the percentage of accounts that the new API answers before the retirement; the reason, the person
 * and the time of the decision.
 */
export interface CutOverColumns {
  cut_over_percent: Generated<number>;
  cut_over_reason: Nullable<string>;
  cut_over_by: Nullable<string>;
  cut_over_at: Nullable<number>;
}

interface MovingCallsTable {
  modern_client_id: string;
  /** JSON: accounts, tokens, and their calls by day and endpoint. */
  body: string;
  counted_at: number;
}

/** The volatile database. */
export interface CutOverTables {
  moving_calls: MovingCallsTable;
}
