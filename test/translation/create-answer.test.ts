import {
  acceptedMessage,
  type ProfileEndWords,
  refusalOfAll,
  sharedMessage,
} from '../../src/domain/translation/create-answer.ts';
import type { WrittenPost } from '../../src/upstream/posts/written-post.ts';
import { postWith } from './posts.ts';

/** What the caller of a create reads, by what became of the post for each profile. */

const written = (changes: Partial<WrittenPost> = {}): WrittenPost => ({
  ...postWith(),
  shareMode: 'addToQueue',
  channel: { isQueuePaused: false },
  ...changes,
});

const done = (
  profile: string,
  changes: Partial<WrittenPost> = {},
  ...leftOut: string[]
): ProfileEndWords => ({
  profile,
  kind: 'done',
  post: written(changes),
  leftOut,
});

const refused = (profile: string): ProfileEndWords => ({
  profile,
  kind: 'refused',
  refusal: { status: 403, code: 1023, message: `No room for ${profile}.`, link: 'https://x.example/limits' },
});

const inDoubt = (profile: string, message?: string): ProfileEndWords => ({
  profile,
  kind: 'in_doubt',
  message,
});

const notSent = (profile: string): ProfileEndWords => ({
  profile,
  kind: 'not_sent',
  why: 'there was no time.',
});

test.each<[string, Partial<WrittenPost>]>([
  ['added to the queue', {}],
  ['scheduled', { shareMode: 'customScheduled' }],
  ['shared', { status: 'sent' }],
  ['shared', { status: 'sending' }],
  ['shared', { sharedNow: true }],
  ['saved as a draft', { status: 'draft', sharedNow: true }],
  ['saved and waits for approval', { status: 'needs_approval' }],
  ['saved. It could not be sent to @a', { status: 'error', sharedNow: true }],
  ['accepted', { status: 'a word of later' }],
])('one post is %s: %j', (place, changes) => {
  expect(acceptedMessage([done('@a', changes)])).toBe(`The update was ${place}.`);
});

test.each<[string, Partial<WrittenPost>]>([
  ['was shared', { status: 'sent' }],
  ['was saved and waits for approval', { status: 'needs_approval' }],
  ['could not be sent', { status: 'error' }],
])('a share that was done says that the update %s: %j', (words, changes) => {
  expect(sharedMessage(written(changes))).toBe(`The update ${words}.`);
});

test('a share of which no post is told was done', () => {
  expect(sharedMessage(undefined)).toBe('The update was shared.');
});

test('posts of several profiles are counted, with their place where it is the same', () => {
  expect(acceptedMessage([done('@a'), done('@b')])).toBe(
    'The update was added to the queue for 2 of 2 profiles.',
  );
  expect(acceptedMessage([done('@a'), done('@b', { status: 'sent' })])).toBe(
    'The update was accepted for 2 of 2 profiles.',
  );
  expect(acceptedMessage([done('@a', { status: 'sent' }), done('@b', { status: 'error' })])).toBe(
    'The update was accepted for 2 of 2 profiles. It could not be sent to @b.',
  );
});

test('what did not come about is told profile by profile', () => {
  expect(
    acceptedMessage([done('@a'), refused('@b'), notSent('@c'), inDoubt('@d'), inDoubt('@e', 'It broke.')]),
  ).toBe(
    [
      'The update was added to the queue for 1 of 5 profiles.',
      'Nothing was posted to @b: No room for @b.',
      'Nothing was posted to @c: there was no time.',
      'The new API did not answer for @d. The update may have been posted there: look at the profile before you send the update again.',
      'The new API answered for @e: It broke. The update may have been posted there: look at the profile before you send the update again.',
    ].join(' '),
  );
});

test('what was left out is told for its profile', () => {
  expect(acceptedMessage([done('@a', {}, 'the link x', 'media[title]')])).toBe(
    'The update was added to the queue. Left out for @a: the link x. Left out for @a: media[title].',
  );
});

const PAUSED = { channel: { isQueuePaused: true } };

test.each<[Partial<WrittenPost>, boolean]>([
  [PAUSED, true],
  [{ ...PAUSED, shareMode: 'customScheduled' }, false],
  [{ ...PAUSED, status: 'draft' }, false],
  [{}, false],
])('of a post with %j the paused queue is told: %p', (changes, isTold) => {
  const told = ' The queue of @a is paused: the post is sent once the queue goes on.';
  expect(acceptedMessage([done('@a', changes)]).endsWith(told)).toBe(isTold);
});

const LINK = 'https://bridge.example/token';

test('the only refusal is told as it came, and more of them profile by profile under the first', () => {
  const { refusal } = refused('@a') as Extract<ProfileEndWords, { kind: 'refused' }>;
  expect(refusalOfAll([refused('@a')], LINK)).toEqual(refusal);
  expect(refusalOfAll([notSent('@z'), refused('@a'), refused('@b')], LINK)).toEqual({
    ...refusal,
    message:
      'Nothing was posted to @z: there was no time. Nothing was posted to @a: No room for @a. Nothing was posted to @b: No room for @b.',
  });
});

test('one post in doubt puts the whole call in doubt, with the page to look at', () => {
  const unknown = { status: 500, code: 1000, link: LINK };
  expect(refusalOfAll([inDoubt('@a')], LINK)).toEqual({
    ...unknown,
    message:
      'The new API did not answer. The update may have been posted: look at the profile before you send the update again.',
  });
  expect(refusalOfAll([inDoubt('@a', 'It broke')], LINK)).toEqual({
    ...unknown,
    message:
      'The new API answered: It broke. The update may have been posted: look at the profile before you send the update again.',
  });
  expect(refusalOfAll([refused('@a'), inDoubt('@b')], LINK)).toEqual({
    ...unknown,
    message:
      'Nothing was posted to @a: No room for @a. The new API did not answer for @b. The update may have been posted there: look at the profile before you send the update again.',
  });
});

test('where nothing was sent at all, nobody knows more', () => {
  expect(refusalOfAll([notSent('@a')], LINK)).toEqual({
    status: 500,
    code: 1000,
    link: LINK,
    message: 'Nothing was posted to @a: there was no time.',
  });
});
