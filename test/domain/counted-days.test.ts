import {
  countedDays,
  gapWords,
  noneSentences,
  noneWords,
  textOfWords,
} from '../../src/domain/usage/counted-days.ts';
import { momentText } from '../../src/shared/moments.ts';

/** Which of the last days are counted whole, and the words for it. */

const NOW = Date.parse('2027-03-03T12:00:00Z');

const told = (wholeAfter: number) => {
  const counted = countedDays(30, { wholeAfter, now: NOW });
  return [noneWords('No call', counted), gapWords(counted), noneSentences('No call', counted)].map((words) =>
    textOfWords(words, momentText),
  );
};

const WHOLE = ['No call in the last 30 days', '', 'No call in the last 30 days.'];
const since = (time: string) => [
  `No call since ${time}`,
  `Calls are counted since ${time}; some may be missing.`,
  `No call since ${time}. Calls are counted from then on; some may be missing.`,
];
const UNKNOWN = [
  'No call is known of the last 30 days',
  'Not all of the older calls were counted.',
  'No call is known of the last 30 days. Not all of the older calls were counted.',
];

test.each<[string, number, string[]]>([
  ['for ever', 0, WHOLE],
  ['since before the first of these days', Date.parse('2027-02-01T23:59:59Z'), WHOLE],
  ['within the first of these days', Date.parse('2027-02-02T00:00:00Z'), since('2027-02-02T00:00:00Z')],
  ['for one hour', NOW - 3_600_000, since('2027-03-03T11:00:00Z')],
  ['since now', NOW, since('2027-03-03T12:00:00Z')],
  ['since a moment that a wrong clock has written', NOW + 1, UNKNOWN],
  ['since nobody knows when', Infinity, UNKNOWN],
])('calls that are counted %s', (_says, wholeAfter, words) => {
  expect(told(wholeAfter)).toEqual(words);
});
