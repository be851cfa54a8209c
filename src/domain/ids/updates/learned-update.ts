import type { LearnedUpdate } from '../../../store/tables/posts.ts';
import {
  findLearnedUpdate,
  hasSameIds,
  keepSameIds,
  NO_POST,
  pairUpdate,
} from '../../../store/posts/update-ids.ts';
import type { IdsDeps } from '../deps.ts';
import type { ServedMapping } from '../../tokens/resolve-token.ts';
import { UPDATE_ID } from './updates-in-answer.ts';

/** Stores a fact about updates. A failure to store the fact costs the caller nothing. */
async function tryToKeep({ logger }: IdsDeps, keep: Promise<unknown>): Promise<void> {
  await keep.catch((error: unknown) => {
    logger.warn('the id of an update could not be kept', { error });
  });
}

/**
 * Stores that these updates have the same ids at both APIs. When such a post is gone, the bridge looks for no other
 * post. The same holds for every other update of the account.
 */
export async function keepAsTheyAre(context: IdsDeps, learned: readonly LearnedUpdate[]): Promise<void> {
  const [first] = learned.filter(({ post_id: postId }) => postId === null);
  if (!first) return;
  const rows = { oldIds: learned.map(({ old_id: oldId }) => oldId), now: context.clock.now() };
  await tryToKeep(context, keepSameIds(context.store.durable, first.account_id, rows));
}

/** Stores that no post is looked for by the content of this update: a change by its id may already have been made. */
export async function keepUnmatched(context: IdsDeps, learned: LearnedUpdate): Promise<void> {
  const pair = { postId: NO_POST, now: context.clock.now() };
  await tryToKeep(context, pairUpdate(context.store.durable, learned, pair));
}

/**
 * The update that the old API showed the caller's account under an id. Undefined for an update of another account, and
 * for a text that is no id.
 */
export async function learnedUpdate(
  { store }: IdsDeps,
  { account_id: accountId }: Pick<ServedMapping, 'account_id'>,
  id: string,
): Promise<LearnedUpdate | undefined> {
  return UPDATE_ID.test(id) ? findLearnedUpdate(store.durable, accountId, id) : undefined;
}

/** The id of the post that an update is known to be, or else the id of the update. */
export const knownPostId = ({ old_id: oldId, post_id: postId }: LearnedUpdate) => postId || oldId;

/**
 * The post id for a write. On an account with the same ids at both APIs, a pair with another post does not count: that
 * pair was made when the post with the update's own id was gone.
 */
export async function postIdForWrite({ store }: IdsDeps, learned: LearnedUpdate): Promise<string> {
  const [known, { account_id: accountId, old_id: oldId }] = [knownPostId(learned), learned];
  return known === oldId || (await hasSameIds(store.durable, accountId)) ? oldId : known;
}
