import type { WrittenPost } from '../../upstream/posts/written-post.ts';
import { inDoubtWords, POSSIBLE_EFFECTS } from './doubt-words.ts';
import { type OldRefusal, UNKNOWN_OUTCOME } from './old-refusal.ts';

/** The messages that answer a create or a share of the old API. People read these messages in an old program. */

/** The outcome of the post for one profile. */
export type ProfileEndWords = { profile: string } & (
  | { kind: 'done'; post: WrittenPost; leftOut: readonly string[] }
  | { kind: 'refused'; refusal: OldRefusal }
  /** `message` is the text of the new API, if the new API reported a fault of its own. */
  | { kind: 'in_doubt'; message?: string | undefined }
  | { kind: 'not_sent'; why: string }
);

type DoneEnd = Extract<ProfileEndWords, { kind: 'done' }>;

type DoubtfulEnd = Extract<ProfileEndWords, { kind: 'in_doubt' }>;

const isDone = (end: ProfileEndWords): end is DoneEnd => end.kind === 'done';

function placeOf({ status, sharedNow, shareMode }: WrittenPost): string {
  if (status === 'draft') return 'saved as a draft';
  if (status === 'needs_approval') return 'saved and waits for approval';
  if (status === 'error') return 'saved';
  if (status === 'sent' || status === 'sending' || sharedNow) return 'shared';
  if (status !== 'scheduled') return 'accepted';
  return shareMode === 'customScheduled' ? 'scheduled' : 'added to the queue';
}

/** The message of a share that was done. Success does not say that the post was sent: it may wait for approval. */
export function sharedMessage(post: WrittenPost | undefined): string {
  if (post?.status === 'error') return 'The update could not be sent.';
  return `The update was ${post ? placeOf(post) : 'shared'}.`;
}

function acceptedWords(done: readonly DoneEnd[], total: number): string {
  const places = new Set(done.map(({ post }) => placeOf(post)));
  const [place = ''] = places;
  const what = places.size === 1 ? place : 'accepted';
  if (total === 1) return `The update was ${what}.`;
  return `The update was ${what} for ${done.length} of ${total} profiles.`;
}

/** A paused queue takes posts and sends none. */
function waitsInPausedQueue({ post }: DoneEnd): boolean {
  return post.status === 'scheduled' && post.shareMode !== 'customScheduled' && post.channel.isQueuePaused;
}

function remarksOn(end: ProfileEndWords): string[] {
  const { profile } = end;
  switch (end.kind) {
    case 'done':
      return [
        ...(waitsInPausedQueue(end)
          ? [`The queue of ${profile} is paused: the post is sent once the queue goes on.`]
          : []),
        ...(end.post.status === 'error' ? [`It could not be sent to ${profile}.`] : []),
        ...end.leftOut.map((what) => `Left out for ${profile}: ${what}.`),
      ];
    case 'refused':
      return [`Nothing was posted to ${profile}: ${end.refusal.message}`];
    case 'not_sent':
      return [`Nothing was posted to ${profile}: ${end.why}`];
    case 'in_doubt':
      return [
        inDoubtWords({
          ...end,
          forWhom: ` for ${profile}`,
          may: 'The update may have been posted there',
          again: 'the update',
        }),
      ];
  }
}

/** The message of a create that posted at least one post. */
export function acceptedMessage(ends: readonly ProfileEndWords[]): string {
  return [acceptedWords(ends.filter(isDone), ends.length), ...ends.flatMap(remarksOn)].join(' ');
}

/**
 * The refusal of a create without a post that is known to exist. One post in doubt puts the whole call in doubt: a
 * caller that reads only the code must not see a failure. `link` is the page where a person can check.
 */
export function refusalOfAll(ends: readonly ProfileEndWords[], link: string): OldRefusal {
  const refusals = ends.flatMap((end) => (end.kind === 'refused' ? [end.refusal] : []));
  const inDoubt = ends.find((end): end is DoubtfulEnd => end.kind === 'in_doubt');
  const [first] = refusals;
  if (!inDoubt && first) {
    const isOnlyOne = ends.length === 1;
    return { ...first, message: isOnlyOne ? first.message : ends.flatMap(remarksOn).join(' ') };
  }
  const isAlone = inDoubt !== undefined && ends.length === 1;
  const message = isAlone
    ? inDoubtWords({ ...inDoubt, may: POSSIBLE_EFFECTS.createUpdate, again: 'the update' })
    : ends.flatMap(remarksOn).join(' ');
  return { ...UNKNOWN_OUTCOME, message, link };
}
