import type { ColumnType, Generated } from 'kysely';

type Nullable<T> = ColumnType<T | null, T | null | undefined, T | null>;

export type GrantState = 'ready' | 'presenting' | 'in_doubt' | 'dead';

export type DeathCause =
  | 'refused'
  | 'lost'
  | 'superseded'
  | 'deauthorized'
  | 'replaced'
  | 'handed_over'
  | 'unfinished';

/** A grant at the new API with its present pair (db/SCHEMA.md). */
export interface GrantsTable {
  id: string;
  client_id: string;
  account_id: string;
  modern_client_id: string;
  state: GrantState;
  version: number;
  access_token_sealed: Nullable<string>;
  refresh_token_sealed: Nullable<string>;
  scope: string;
  access_expires_at: number;
  refresh_at: number;
  attempts: Generated<number>;
  presented_at: Nullable<number>;
  doubt_since: Nullable<number>;
  retry_at: Generated<number>;
  suspect_count: Generated<number>;
  suspect_until: Generated<number>;
  dead_at: Nullable<number>;
  dead_cause: Nullable<DeathCause>;
  created_at: number;
  updated_at: number;
  claim_id: Nullable<string>;
  rotated_at: number;
  /** When a copy was taken over with this version; the original may have spent the version meanwhile. */
  restored_at: Nullable<number>;
  /** When the answer to this presentation was lost, as reported by the process that waited for the answer. */
  doubted_at: Nullable<number>;
  /** When a connection failed; null when the rest has another reason. */
  put_off_at: Nullable<number>;
  /** When the request for the first pair left; null in grants of an earlier version. */
  consented_at: Nullable<number>;
}
