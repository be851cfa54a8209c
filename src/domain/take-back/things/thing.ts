import type { Database } from '../../../store/driver/store.ts';
import type { DeedRow, PartWithEntry } from '../../../store/history/deeds.ts';
import type { HistoryChange } from '../../history/record-event.ts';

/** How each kind of thing is looked at and put back (docs/decisions/0036). */

/** One part of a deed that is taken back, and where: inside a transaction, or outside only to look. */
export interface PartScope {
  db: Database;
  deed: DeedRow;
  part: PartWithEntry;
  /** The time of the taking back, and who does it. */
  now: number;
  by: string;
}

/** What the entry of the history names, beside who, when and why. */
type TakenBackSubject = Pick<HistoryChange, 'clientId' | 'accountId' | 'grantId' | 'mappingId'>;

export interface ThingRules {
  /** Why the thing cannot be put back now, in a sentence; undefined where it can. */
  whyNot(scope: PartScope): Promise<string | undefined>;
  /** Puts the thing back by one conditional statement on how it was left; false where it stands otherwise. */
  restore(scope: PartScope): Promise<boolean>;
  subject(part: PartWithEntry): TakenBackSubject;
}

/** The thing as it was, or as it was left. */
export const readThing = (text: string): unknown => JSON.parse(text);

/** The thing stands otherwise, and no more is known. */
export const CHANGED = 'It was changed since.';
