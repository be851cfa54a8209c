import type { ColumnType } from 'kysely';

/** The rows of tokens that were found in a place that others can read. */

type Nullable<T> = ColumnType<T | null, T | null | undefined, T | null>;

interface LeakedTokensTable {
  mapping_id: string;
  reported_at: number;
  /** Whose report has set the end: `leaks:KEY` for a signed report, else the actor of the command. */
  reported_by: string;
  /** When the token is to be revoked. */
  ends_at: number;
  /** When the token was revoked for this, or was found to have ended already. */
  ended_at: Nullable<number>;
  /** When nobody was left to be told. */
  told_at: Nullable<number>;
}

interface LeakPlacesTable {
  mapping_id: string;
  /** Where the token was found, in words, without any secret. */
  place: string;
  reported_at: number;
  reported_by: string;
}

/** The durable database. */
export interface LeakTables {
  leaked_tokens: LeakedTokensTable;
  leak_places: LeakPlacesTable;
}
