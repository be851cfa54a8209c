import { DAY } from '../../shared/lifetimes.ts';
import { dayOf } from '../../shared/moments.ts';

/**
 * Which of the last days are counted whole, and the words for it. A new bridge, and one that lost its counts, knows all
 * calls only from a moment on. No sentence may take the want of earlier calls for a fact.
 */

/** The last days up to today (UTC), and what is known of their calls. */
export interface CountedDays {
  days: number;
  /** Whether more calls may have come in these days than are known. */
  isPartial: boolean;
  /** From this moment on all calls are known. Undefined where all days are known, and where nobody knows the moment. */
  since?: number;
}

/** The first of the last `days` up to today (UTC), `YYYY-MM-DD`. */
export const firstDayOf = (now: number, days: number) => dayOf(now - (days - 1) * DAY);

/** The last `days`, whose calls are known after a moment: 0 for all calls, Infinity where the moment is unknown. */
export function countedDays(
  days: number,
  { wholeAfter, now }: { wholeAfter: number; now: number },
): CountedDays {
  const isPartial = wholeAfter > 0 && firstDayOf(now, days) <= dayOf(Math.min(wholeAfter, now));
  return { days, isPartial, ...(isPartial && wholeAfter <= now && { since: wholeAfter }) };
}

/** Days of which only some calls were read, or nobody knows since when calls are counted. */
export const unknownDays = (days: number): CountedDays => ({ days, isPartial: true });

/** Words, and times in Unix milliseconds, which each reader gets in a form of their own. */
export type TimedWords = ReadonlyArray<string | number>;

/** That no call is known: `No call in the last 30 days`, `No call since TIME`. `none` begins the words. */
export function noneWords(none: string, { days, isPartial, since }: CountedDays): TimedWords {
  if (since !== undefined) return [`${none} since `, since];
  return [isPartial ? `${none} is known of the last ${days} days` : `${none} in the last ${days} days`];
}

/** Which calls may be missing, in one sentence; empty where all calls of the days are counted. */
export function gapWords({ isPartial, since }: CountedDays): TimedWords {
  if (since !== undefined) return ['Calls are counted since ', since, '; some may be missing.'];
  return isPartial ? ['Not all of the older calls were counted.'] : [];
}

/**
 * The sentences that say that no call is known, and which calls may be missing: both name the same moment, so it is said
 * once. `none` begins the first sentence.
 */
export function noneSentences(none: string, counted: CountedDays): TimedWords {
  const gap = gapAfterNone(counted);
  return [...noneWords(none, counted), '.', ...(gap === '' ? [] : [` ${gap}`])];
}

/** Which calls may be missing, after words that named since when no call is known; empty where all are counted. */
export function gapAfterNone({ isPartial, since }: CountedDays): string {
  if (since !== undefined) return 'Calls are counted from then on; some may be missing.';
  return isPartial ? 'Not all of the older calls were counted.' : '';
}

/** The words of several sentences, one after the other; one text where they hold no time. */
export function sentencesOf(...sentences: TimedWords[]): string | TimedWords {
  const words = sentences
    .filter(({ length }) => length > 0)
    .flatMap((sentence, place) => (place === 0 ? sentence : [' ', ...sentence]));
  return words.some((word) => typeof word === 'number') ? words : words.join('');
}

/** The words as one text. `time` writes a moment. */
export function textOfWords(words: TimedWords, time: (at: number) => string): string {
  return words.map((word) => (typeof word === 'number' ? time(word) : word)).join('');
}
