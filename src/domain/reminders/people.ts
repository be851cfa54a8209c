import type { Milestone, PersonRole } from '../../store/tables/lifecycle.ts';

/** The data of the reminders: people, their apps and tokens, and the stages that are due. */

/** The tokens that act for the person at one app and wait for a consent. */
export interface HolderPart {
  role: 'holder';
  clientId: string;
  appName: string;
  /** How many tokens are `unmapped` or `reauthorization_required`. */
  waiting: number;
  /** The last use of any of these tokens, to the day. */
  lastUsedAt: number | undefined;
  /** When one of these tokens was last used again after a long silence. */
  wokenAt: number | undefined;
  /** When a grant of these tokens last ended against the holder's will. */
  diedAt: number | undefined;
  /** When one of these tokens of which no use is known was last added or changed. */
  knownSince: number | undefined;
}

/** An app that the person owns, with its waiting and connected tokens. */
export interface OwnerPart {
  role: 'owner';
  clientId: string;
  appName: string;
  tokens: { waiting: number; active: number };
  /** How many accounts these tokens act for. An address counts as an account while no account is known. */
  accounts: { waiting: number; active: number };
  /** The last use of any waiting or connected token, to the day. `waitingUsedAt`: of any waiting token. */
  lastUsedAt: number | undefined;
  waitingUsedAt: number | undefined;
  /** When any of these tokens last made a call that only the old API answers, to the day. */
  passedAt: number | undefined;
  /** When one of the waiting tokens of which no use is known was last added or changed. */
  knownSince: number | undefined;
}

export type AppPart = HolderPart | OwnerPart;

/** A person, without tokens and apps. */
export interface PersonIdentity {
  /** `account:ID`, or `email:ADDRESS` while no account has the address. */
  id: string;
  /** The id and every other name under which the ledger may know the person. */
  aliases: readonly string[];
  accountId: string | undefined;
  name: string | undefined;
  /** Undefined while no address is known that takes mails. */
  address: string | undefined;
  /** The address that is known and takes no mails: its reader stopped them, or it is none that mail can be sent to. */
  closedAddress?: string;
  /** An IANA time zone; UTC while no zone is known. */
  zone: string;
}

/** A person with tokens or apps. Each person gets at most one mail a day. */
export interface ReminderPerson extends PersonIdentity {
  parts: readonly AppPart[];
  /** The mail goes to a contact of an app in the place of the person. */
  isContact?: true;
}

/** A stage in the ledger. A person is told of each stage once. */
export interface Stage {
  clientId: string;
  role: PersonRole;
  /** Days before a date, or `died`, `woken`, `unused`, `again`. */
  stage: string;
  /** `retirement:2027-02-01` (UTC), the time of the event or of the request by support, or ''. */
  plannedFor: string;
}

/** A stage that has come, and of which the person was not told. */
export interface DueStage extends Stage {
  part: AppPart;
  /** The date that the stage counts down to. */
  milestone: Milestone | undefined;
  at: number | undefined;
  /**
   * The mail does not wait for the morning: the event is of the person's present day, or support asked for the mail.
   */
  isUrgent: boolean;
  /** Support asked for the mail. */
  isAsked?: true;
  /** Why the stage is due, in words for people. */
  because: string;
}
