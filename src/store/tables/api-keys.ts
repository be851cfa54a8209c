import type { ColumnType } from 'kysely';
import type { StaffRole } from './page-tables.ts';

/** The rows of the staff API: the keys of programs, and the answers to their writes. */

type Nullable<T> = ColumnType<T | null, T | null | undefined, T | null>;

interface ApiKeysTable {
  id: string;
  name: string;
  role: StaffRole;
  key_digest: string;
  made_at: number;
  /** An actor of the history. */
  made_by: string;
  /** The account that made the key on a page; null for a key of the operator. */
  account_id: Nullable<string>;
  expires_at: number;
  ended_at: Nullable<number>;
  ended_by: Nullable<string>;
  /** To the hour. */
  last_used_at: Nullable<number>;
}

interface ApiAnswersTable {
  id: string;
  key_id: string;
  /** The Idempotency-Key of the request. */
  request_key: string;
  request_digest: string;
  asked_at: number;
  /** Null while nobody knows the outcome. */
  status: Nullable<number>;
  /** JSON without secrets. */
  answer: Nullable<string>;
}

/** What a program can ask for many things at once. */
export type BulkAction = 'extend_apps' | 'assign_tokens' | 'make_links';

export type BulkJobState = 'running' | 'done' | 'stopped' | 'taking_back' | 'taken_back';

/** `undoing`, `undone` and `kept` belong to the taking back of what was done. `unknown`: its process ended meanwhile. */
export type BulkItemState =
  | 'waiting'
  | 'running'
  | 'done'
  | 'refused'
  | 'unknown'
  | 'undoing'
  | 'undone'
  | 'kept';

interface BulkJobsTable {
  id: string;
  action: BulkAction;
  /** JSON: what holds for all items. */
  input: string;
  reason: string;
  asked_by: string;
  request_id: Nullable<string>;
  state: BulkJobState;
  made_at: number;
  ended_at: Nullable<number>;
  /** Who takes it back, and the request that asked for it. */
  back_by: Nullable<string>;
  back_request_id: Nullable<string>;
  /** Why the bridge itself stopped it. */
  stopped_why: Nullable<string>;
}

interface BulkItemsTable {
  id: string;
  job_id: string;
  place: number;
  subject: string;
  state: BulkItemState;
  claimed_at: Nullable<number>;
  /** JSON. */
  answer: Nullable<string>;
}

/** The durable database. */
export interface ApiTables {
  api_keys: ApiKeysTable;
  api_answers: ApiAnswersTable;
  bulk_jobs: BulkJobsTable;
  bulk_items: BulkItemsTable;
}
