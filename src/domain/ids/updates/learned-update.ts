import type { LearnedUpdate } from '../../../store/tables/posts.ts';
import {
  findLearnedUpdate,
  hasSameIds,
  keepSameIds,
  NO_POST,
  pairUpdate,
} from '../../../store/posts/update-ids.ts';
import type { Context } from '../../context.ts';
import type { ServedMapping } from '../../tokens/resolve-token.ts';
import { UPDATE_ID } from './updates-in-answer.ts';

/** What is kept of updates. A failure to keep it costs the caller nothing. */
async function tryToKeep({ logger }: Context, keep: Promise<unknown>): Promise<void> {
  await keep.catch((error: unknown) => {
    logger.warn('the id of an update could not be kept', { error });
  });
}

/**
 * Keeps that both generations have the same ids for updates: once their posts are gone, no others are looked for, and so for
 * every other update of the account.
 */
export async function keepAsTheyAre(context: Context, learned: readonly LearnedUpdate[]): Promise<void> {
  const [first] = learned.filter(({ post_id: postId }) => postId === null);
  if (!first) return;
  const rows = { oldIds: learned.map(({ old_id: oldId }) => oldId), now: context.clock.now() };
  await tryToKeep(context, keepSameIds(context.store.durable, first.account_id, rows));
}

/** Keeps that no post is looked for by what the update says: a change by its id may have been made. */
export async function keepUnmatched(context: Context, learned: LearnedUpdate): Promise<void> {
  const pair = { postId: NO_POST, now: context.clock.now() };
  await tryToKeep(context, pairUpdate(context.store.durable, learned, pair));
}

/** What the old API showed the caller's account under an id; undefined for whatever it showed others, or is no id. */
export async function learnedUpdate(
  { store }: Context,
  { account_id: accountId }: Pick<ServedMapping, 'account_id'>,
  id: string,
): Promise<LearnedUpdate | undefined> {
  return UPDATE_ID.test(id) ? findLearnedUpdate(store.durable, accountId, id) : undefined;
}

/** The id of the post that an update is known to be, else the id as it is. */
export const knownPostId = ({ old_id: oldId, post_id: postId }: LearnedUpdate) => postId || oldId;

/**
 * The same for a write. An account whose ids are the same at both generations has no other pairs: such a one was made when the
 * post of the id was gone.
 */
export async function postIdForWrite({ store }: Context, learned: LearnedUpdate): Promise<string> {
  const [known, { account_id: accountId, old_id: oldId }] = [knownPostId(learned), learned];
  return known === oldId || (await hasSameIds(store.durable, accountId)) ? oldId : known;
}
