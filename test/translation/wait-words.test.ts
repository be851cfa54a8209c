import { waitWords } from '../../src/domain/translation/wait-words.ts';

/** How a refusal says how long to wait: in the largest unit that does not make the wait much longer. */

test.each([
  [0.2, '1 second'],
  [59, '59 seconds'],
  [60, '1 minute'],
  [61, '2 minutes'],
  [7199, '120 minutes'],
  [7200, '2 hours'],
  [86_400, '24 hours'],
  [172_799, '48 hours'],
  [172_800, '2 days'],
  [2_592_000, '30 days'],
])('%d seconds are %s', (seconds, words) => {
  expect(waitWords(seconds)).toBe(words);
});
