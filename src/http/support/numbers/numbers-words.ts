import { pluralWords } from '../desks/desk-words.ts';

/** The numbers in sentences: pure functions. */

/** A share in whole percents. 100 % and 0 % are shown only when the share is exactly all or nothing. */
export function percentWords(part: number, whole: number): string {
  if (whole === 0) return '–';
  const percent = Math.round((100 * part) / whole);
  if (percent === 0 && part > 0) return 'under 1%';
  return percent === 100 && part < whole ? 'over 99%' : `${percent}%`;
}

interface Totals {
  active: number;
  waiting: number;
  migrated: number;
  people: number;
  counted: number;
}

/** How far the move is, in a sentence or two. */
export function moveWords({ active, waiting, migrated, people, counted }: Totals): string {
  if (counted === 0)
    return 'Nothing has been counted yet. The numbers are brought up to date every hour; come back a little later.';
  const all = active + waiting + migrated;
  if (all === 0) return 'There is no token that is in use or waits.';
  const share = `${new Intl.NumberFormat('en-GB').format(active + migrated)} of ${pluralWords(all, 'token')}`;
  const kinds = `${pluralWords(active, 'is', 'are')} connected and ${pluralWords(migrated, 'has', 'have')} moved`;
  const done = `${share} (${percentWords(active + migrated, all)}) ${all === 1 ? 'is' : 'are'} done: ${kinds}.`;
  if (waiting === 0) return `${done} Nothing waits.`;
  const isOne = waiting === 1;
  if (people === 0)
    return `${done} ${pluralWords(waiting, 'token')} still ${isOne ? 'waits' : 'wait'}; whose ${isOne ? 'it is' : 'they are'} is not known.`;
  return `${done} ${pluralWords(waiting, 'token')} of ${pluralWords(people, 'person', 'people')} still ${isOne ? 'waits' : 'wait'}.`;
}
