import type { DateName, Milestone } from '../../../../src/store/tables/lifecycle.ts';
import type { DeathCause, MappingState } from '../../../../src/store/tables/tables.ts';
import { DAY } from './calendar.ts';

/** What a rehearsed year consists of: all of it is known before it begins. Times are Unix milliseconds. */

/** The first moment of every year that is rehearsed. */
export const BEGINNING = Date.UTC(2027, 0, 1);

/** When the tokens of every year were imported: so long ago that what was never used is known to be unused. */
export const KNOWN_SINCE = BEGINNING - 100 * DAY;

export const dayAt = (day: number): number => BEGINNING + day * DAY;

/** Somebody who may have to act, however the bridge knows of them. */
export interface Human {
  id: string;
  /** Undefined while known by an address alone. */
  accountId: string | undefined;
  email: string | undefined;
  /** As an account has it; null and what is no zone stand for UTC. */
  zone: string | null;
}

export interface WorldApp {
  clientId: string;
  name: string;
  owner: { human: string; by: 'account' | 'email' } | undefined;
  contacts: readonly string[];
}

export type WorldState = Exclude<MappingState, 'migrated' | 'revoked'>;

export interface WorldToken {
  id: string;
  app: string;
  /** Undefined: nobody knows whose it is. */
  human: string | undefined;
  state: WorldState;
  /** When its grant died, where it had one, and of what. */
  died: { at: number; cause: DeathCause } | undefined;
  /** As it is known before the year begins. */
  lastUsedAt: number | undefined;
  /** When it is used during the year, in their order, at most once a day. */
  uses: readonly number[];
}

/** What happens to the rows during the year. */
export type Change = { at: number } & (
  | { kind: 'act'; human: string; app: string }
  | { kind: 'die'; human: string; app: string; cause: DeathCause }
  | { kind: 'revoke'; token: string }
  | { kind: 'migrate'; app: string }
  | { kind: 'sign-up'; human: string; accountId: string; zone: string }
  | { kind: 'pin'; human: string }
  | { kind: 'date'; name: DateName; value: number | null }
  | { kind: 'extend'; app: string; name: Milestone; until: number }
  | { kind: 'end-extension'; app: string; name: Milestone }
);

export interface World {
  days: number;
  humans: readonly Human[];
  apps: readonly WorldApp[];
  tokens: readonly WorldToken[];
  /** In their order. */
  changes: readonly Change[];
  /** Addresses in lower case, and from when on the mail server refuses them for good. */
  refused: ReadonlyMap<string, number>;
}

/** The zone that an account's text stands for. */
export function zoneOf(text: string | null): string {
  if (text === null) return 'UTC';
  try {
    return Intl.DateTimeFormat('en-GB', { timeZone: text }) && text;
  } catch {
    return 'UTC';
  }
}
