import type { OldCallName } from '../../src/domain/old-calls/old-calls.ts';
import { inDoubtWords, lostThereWords, whyInDoubt } from '../../src/domain/translation/doubt-words.ts';

/** What the caller of a write reads whose outcome nobody knows. */

test.each([
  [{}, 'The new API did not answer.'],
  [{ forWhom: ' for @a' }, 'The new API did not answer for @a.'],
  [{ api: 'old' }, 'The old API did not answer.'],
  [{ message: 'v1.2 failed.' }, 'The new API answered: v1.2 failed.'],
  [{ message: 'It failed', forWhom: ' for @a' }, 'The new API answered for @a: It failed.'],
] as const)('why: %j', (doubt, why) => {
  expect(whyInDoubt(doubt)).toBe(why);
  const end = 'It may be there: look at the profile before you send it again.';
  expect(inDoubtWords({ ...doubt, may: 'It may be there', again: 'it' })).toBe(`${why} ${end}`);
});

test.each<[OldCallName | undefined, string]>([
  ['createUpdate', 'The update may have been posted'],
  ['changeUpdate', 'The update may have been changed'],
  ['shareUpdate', 'The update may have been posted'],
  ['destroyUpdate', 'The update may have been deleted'],
  ['moveUpdateToTop', 'The update may have been moved'],
  ['reorderUpdates', 'The updates may have been reordered'],
  ['shuffleUpdates', 'The updates may have been shuffled'],
  ['updateSchedules', 'The posting times may have been changed'],
  ['user', 'The call may have been carried out'],
  [undefined, 'The call may have been carried out'],
])('%s, lost at the old API: %s', (call, effect) => {
  const again = call === 'createUpdate' ? 'the update' : 'the call';
  expect(lostThereWords(call)).toBe(
    `The old API did not answer. ${effect}: look at the profile before you send ${again} again.`,
  );
});
