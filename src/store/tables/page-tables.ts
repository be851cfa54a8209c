import type { ColumnType, Generated } from 'kysely';

/** The rows for the pages of people. */

type Nullable<T> = ColumnType<T | null, T | null | undefined, T | null>;

/** The roles of staff. Each role includes the rights of the roles before it. */
export const STAFF_ROLES = ['reader', 'agent', 'lead'] as const;

export type StaffRole = (typeof STAFF_ROLES)[number];

interface StaffTable {
  account_id: string;
  role: StaffRole;
  added_by: string;
  added_at: number;
}

/** How many tokens of an app were in each state at the end of a day (UTC). A day without a change has no row. */
interface ProgressTable {
  client_id: string;
  /** `YYYY-MM-DD`. */
  day: string;
  unmapped: number;
  active: number;
  reauthorization_required: number;
  revoked: number;
  migrated: number;
  /** Accounts, and addresses without an account, that have a token waiting for a consent. */
  waiting_people: number;
}

/** One row at most. */
interface ProgressReadingTable {
  singleton: 1;
  counted_at: number;
}

/** `progress` of all apps together; a person counts once per app. */
type ProgressOfAllTable = Omit<ProgressTable, 'client_id'>;

/** What support finds people by. Triggers keep the rows. */
interface PeopleTable {
  id: Generated<number>;
  /** `account:ID`, or `email:ADDRESS` while tokens wait under the address. */
  person: string;
  words: string;
}

/** Under which names tokens wait that have no account. Triggers keep the rows. */
interface WaitingNamesTable {
  id: Generated<string>;
  /** `email:ADDRESS`, or `old:ID` of tokens without an address. */
  name: string;
  /** How many tokens wait under it. */
  tokens: number;
}

/** The durable database. */
export interface PageTables {
  people: PeopleTable;
  waiting_names: WaitingNamesTable;
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
 * The side that answered a call. For a refused call, if known, the reason: the state of the token, or a brownout.
 * `rehearsal` is a brownout that the app's owner planned.
 */
type AnsweringSide =
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
  /** The account of the token; null while unknown. */
  account_id: Nullable<string>;
  at: number;
  method: string;
  endpoint: string;
  carrier: string;
  user_agent: string;
  /** The network of the caller's address, without the last part of the address. */
  network: string;
  /** The first and last characters of the token. */
  hint: Nullable<string>;
  status: number;
  answered_by: AnsweringSide;
}

/** An authorization request that a browser has claimed, before any durable row exists. */
export interface ClaimedRequest {
  id: string;
  /** The browser of the approval page; null for a sign-in that has returned. */
  browser_digest: string | null;
  claimed_at: number;
  expires_at: number;
}

/** The volatile database. */
export interface LiveTables {
  claimed_requests: ClaimedRequest;
  watched_apps: WatchedAppsTable;
  live_calls: LiveCallsTable;
}
