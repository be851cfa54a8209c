import type { ColumnType } from 'kysely';

/** The rows that only the pages of people need. */

type Nullable<T> = ColumnType<T | null, T | null | undefined, T | null>;

/** What staff may do; each may do what stands before it too. */
export const STAFF_ROLES = ['reader', 'agent', 'lead'] as const;

export type StaffRole = (typeof STAFF_ROLES)[number];

interface StaffTable {
  account_id: string;
  role: StaffRole;
  added_by: string;
  added_at: number;
}

/** How many tokens of an app were in each state at the end of a day (UTC); days without a change have no row. */
interface ProgressTable {
  client_id: string;
  /** `YYYY-MM-DD`. */
  day: string;
  unmapped: number;
  active: number;
  reauthorization_required: number;
  revoked: number;
  migrated: number;
  /** Accounts, and addresses without one, with a token that waits for a consent. */
  waiting_people: number;
}

/** One row at most. */
interface ProgressReadingTable {
  singleton: 1;
  counted_at: number;
}

/** `progress` of all apps together; people count once for each app. */
type ProgressOfAllTable = Omit<ProgressTable, 'client_id'>;

/** Of the durable database. */
export interface PageTables {
  staff: StaffTable;
  progress: ProgressTable;
  progress_of_all: ProgressOfAllTable;
  progress_reading: ProgressReadingTable;
}

interface WatchedAppsTable {
  client_id: string;
  until: number;
}

/**
 * Who answered a call; of a refused one, where it is known, what kept it from being served: the state of its token, or a
 * brownout, which is a rehearsal where the owner of the app planned it.
 */
type AnsweredBy =
  | 'new'
  | 'old'
  | 'refused'
  | 'unmapped'
  | 'reauthorization_required'
  | 'revoked'
  | 'migrated'
  | 'brownout'
  | 'rehearsal';

interface LiveCallsTable {
  /** Grows with time. */
  id: string;
  client_id: string;
  /** Whose token it was; null while that is not known. */
  account_id: Nullable<string>;
  at: number;
  method: string;
  endpoint: string;
  carrier: string;
  user_agent: string;
  /** Of the caller's address; the last part is left out. */
  network: string;
  /** The first and last characters of the token. */
  hint: Nullable<string>;
  status: number;
  answered_by: AnsweredBy;
}

/** An authorization request that a browser has claimed before anything of it is kept durably. */
export interface ClaimedRequest {
  id: string;
  /** Whose approval page it is; null of a sign-in that has returned. */
  browser_digest: string | null;
  claimed_at: number;
  expires_at: number;
}

/** Of the volatile database. */
export interface LiveTables {
  claimed_requests: ClaimedRequest;
  watched_apps: WatchedAppsTable;
  live_calls: LiveCallsTable;
}
