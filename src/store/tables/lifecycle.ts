import type { ColumnType, Generated } from 'kysely';

/** The rows of the lifecycle: the dates, the extensions, and the reminders. */

type Nullable<T> = ColumnType<T | null, T | null | undefined, T | null>;

/** The dates that an extension can move and a brownout can rehearse. */
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
  /** Null for all apps; otherwise the app whose owner rehearses. */
  client_id: string | null;
  rehearses: Milestone;
  starts_at: number;
  /** The first moment after the brownout. */
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
 * `due` waits for its turn; `sending` is claimed; `sent` was handed over; `dropped` was no longer needed; `refused` was
 * refused for good by the server of its address, and other mails replace it; `undeliverable` has no address that works.
 */
export type MailState = 'due' | 'sending' | 'sent' | 'dropped' | 'refused' | 'undeliverable';

interface MailsTable {
  id: string;
  /** `account:ID`, or `email:ADDRESS` where no account is known. */
  person: string;
  /** The day in the person's own time zone, `YYYY-MM-DD`. */
  day: string;
  /**
   * The mail that this mail replaces after a refusal, or ''; `ID/2` and so on when several mails replace it. `again/ID` of
   * a mail beside the mail of the day, and `beside/ID` of a mail that replaces such a mail.
   */
  replaces: string;
  /** Null when no address is known. */
  address: Nullable<string>;
  state: MailState;
  attempts: number;
  /** How many times the server had the whole mail and its answer was lost. */
  in_doubt: Generated<number>;
  next_at: number;
  claim_id: Nullable<string>;
  claimed_at: Nullable<number>;
  failure: Nullable<string>;
  created_at: number;
  ended_at: Nullable<number>;
  /** When support dealt with an undeliverable mail, and the person of support. */
  settled_at: Nullable<number>;
  settled_by: Nullable<string>;
}

/** Why a person may act: as the holder of a token, or as the owner of an app. */
export type PersonRole = 'holder' | 'owner';

interface RemindersTable {
  id: string;
  mail_id: string;
  person: string;
  client_id: string;
  role: PersonRole;
  /** Days before a date, or `died`, `woken`, `unused`. */
  stage: string;
  /** The event of the stage: `retirement:2027-02-01`, or the time of an event; '' for a stage that comes only once. */
  planned_for: string;
  created_at: number;
  dropped_at: Nullable<number>;
  /** When a mail told the person of another day of the same date; 0 while the reminder counts. */
  outdated_at: Generated<number>;
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

/** The durable database. */
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
