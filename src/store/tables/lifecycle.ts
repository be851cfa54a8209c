import type { ColumnType, Generated } from 'kysely';

/** The rows of what ends when, for whom later, and of who was told. */

type Nullable<T> = ColumnType<T | null, T | null | undefined, T | null>;

/** What an app may be given more time for, and what a brownout rehearses. */
export const MILESTONES = ['retirement', 'sunset'] as const;

export type Milestone = (typeof MILESTONES)[number];

export const DATE_NAMES = ['deprecation', ...MILESTONES] as const;

export type DateName = (typeof DATE_NAMES)[number];

interface LifecycleDatesTable {
  name: DateName;
  /** Null: not set. */
  at: number | null;
  changed_at: number;
  changed_by: string;
}

interface ExtensionsTable {
  id: string;
  client_id: string;
  name: Milestone;
  until: number;
  reason: string;
  granted_by: string;
  granted_at: number;
  ended_at: Nullable<number>;
  ended_by: Nullable<string>;
}

interface BrownoutsTable {
  id: string;
  /** Null for all apps; else the one whose owner rehearses. */
  client_id: string | null;
  rehearses: Milestone;
  starts_at: number;
  /** The first moment after it. */
  ends_at: number;
  text: string;
  planned_by: string;
  planned_at: number;
  removed_at: Nullable<number>;
}

interface BrownoutExemptionsTable {
  id: string;
  client_id: string;
  until: number;
  reason: string;
  granted_by: string;
  granted_at: number;
  ended_at: Nullable<number>;
  ended_by: Nullable<string>;
}

/**
 * `due` waits for its turn; `sending` is claimed; `sent` was handed over; `dropped` was not needed any more; `refused` was
 * refused for good by the server of its address, and others replace it; `undeliverable` is nobody's to read.
 */
export type MailState = 'due' | 'sending' | 'sent' | 'dropped' | 'refused' | 'undeliverable';

interface MailsTable {
  id: string;
  /** `account:ID`, or `email:ADDRESS` where no account is known. */
  person: string;
  /** The day in the person's own time zone, `YYYY-MM-DD`. */
  day: string;
  /** The mail whose address refused it, or ''; `ID/2` and so on where several take its place. */
  replaces: string;
  /** Null where none is known. */
  address: Nullable<string>;
  state: MailState;
  attempts: number;
  /** How many times the server had all of it and its answer was lost. */
  in_doubt: Generated<number>;
  next_at: number;
  claim_id: Nullable<string>;
  claimed_at: Nullable<number>;
  failure: Nullable<string>;
  created_at: number;
  ended_at: Nullable<number>;
  /** When support dealt with one that is undeliverable, and who. */
  settled_at: Nullable<number>;
  settled_by: Nullable<string>;
}

/** A person who may act: by a token of the own account, or for an app of the own. */
export type Role = 'holder' | 'owner';

interface RemindersTable {
  id: string;
  mail_id: string;
  person: string;
  client_id: string;
  role: Role;
  /** Days before a date, or `died`, `woken`, `unused`. */
  stage: string;
  /** What the stage belongs to: `retirement:2027-02-01`, or the time of what happened; '' for what comes once at all. */
  planned_for: string;
  created_at: number;
  dropped_at: Nullable<number>;
}

interface StoppedAddressesTable {
  address: string;
  mail_id: string;
  stopped_at: number;
}

/** One row at most. */
interface LastUseReadingTable {
  singleton: 1;
  noted_at: number;
}

/** Of the durable database. */
export interface LifecycleTables {
  lifecycle_dates: LifecycleDatesTable;
  extensions: ExtensionsTable;
  brownouts: BrownoutsTable;
  brownout_exemptions: BrownoutExemptionsTable;
  mails: MailsTable;
  reminders: RemindersTable;
  stopped_addresses: StoppedAddressesTable;
  last_use_reading: LastUseReadingTable;
}
