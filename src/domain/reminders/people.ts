import type { Milestone, Role } from '../../store/tables/lifecycle.ts';

/** What the parts of the reminders say to each other: who may have to be told of what, and what is due. */

/** Tokens of the person's own account at one app that wait for a consent. */
export interface HolderPart {
  role: 'holder';
  clientId: string;
  appName: string;
  /** How many tokens are `unmapped` or `reauthorization_required`. */
  waiting: number;
  /** The last use of any of them, to the day. */
  lastUsedAt: number | undefined;
  /** When one of them was last used again after a long silence. */
  wokenAt: number | undefined;
  /** When the grant of some of them died. */
  diedAt: number | undefined;
  /** Since when the one that came or changed last is known here as it is. */
  knownSince: number | undefined;
}

/** An app that the person registered, with all that stand on it. */
export interface OwnerPart {
  role: 'owner';
  clientId: string;
  appName: string;
  tokens: { waiting: number; active: number };
  /** How many accounts these tokens act for, as far as known. */
  accounts: { waiting: number; active: number };
  /** The last use of any token that is not ended, to the day; and of any that waits. */
  lastUsedAt: number | undefined;
  waitingUsedAt: number | undefined;
  /** When any of them last called what the old backend alone answers, to the day. */
  passedAt: number | undefined;
  /** Since when the one that waits and came or changed last is known here as it is. */
  knownSince: number | undefined;
}

export type Part = HolderPart | OwnerPart;

/** Whoever it is, whatever waits. */
export interface Somebody {
  /** `account:ID`, or `email:ADDRESS` while no account is known by the address. */
  id: string;
  /** This and every other name that the ledger may know the person by. */
  aliases: readonly string[];
  accountId: string | undefined;
  name: string | undefined;
  /** Undefined where none is known. */
  address: string | undefined;
  /** An IANA time zone; UTC where none is known. */
  zone: string;
}

/** Who gets one mail a day. */
export interface Person extends Somebody {
  parts: readonly Part[];
}

/** A stage of the ledger; once for a person. */
export interface Stage {
  clientId: string;
  role: Role;
  /** Days before a date, or `died`, `woken`, `unused`, `again`. */
  stage: string;
  /** `retirement:2027-02-01` (UTC), the time of what happened or was asked for, or ''. */
  plannedFor: string;
}

/** A stage that has come and that the person was not told of. */
export interface Due extends Stage {
  part: Part;
  /** The date that it counts down to. */
  milestone: Milestone | undefined;
  at: number | undefined;
  /** What happened on this very day of the person, which need not wait for the morning. */
  isUrgent: boolean;
  /** Support has it sent. */
  isAsked?: true;
  /** For people: why this is due. */
  because: string;
}
