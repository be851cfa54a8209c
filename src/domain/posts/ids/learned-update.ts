import type { LearnedUpdate } from '../../../store/posts/tables.ts';
import { findLearnedUpdate, pairUpdate } from '../../../store/posts/update-ids.ts';
import type { Context } from '../../context.ts';
import type { ServedMapping } from '../../resolve-token.ts';
import { UPDATE_ID } from './updates-in-answer.ts';

/**
 * Keeps that both generations have the same id for an update: once its post is gone, no other one is looked for. A failure
 * costs the caller nothing.
 */
export async function keepAsItIs(context: Context, learned: LearnedUpdate): Promise<void> {
  const pair = { postId: learned.old_id, now: context.clock.now() };
  await pairUpdate(context.store.durable, learned, pair).catch((error: unknown) => {
    context.logger.warn('the id of an update could not be kept', { error });
  });
}

/** What the old API showed the caller's account under an id; undefined for whatever it showed others, or is no id. */
export async function learnedUpdate(
  { store }: Context,
  { account_id: accountId }: Pick<ServedMapping, 'account_id'>,
  id: string,
): Promise<LearnedUpdate | undefined> {
  return UPDATE_ID.test(id) ? findLearnedUpdate(store.durable, accountId, id) : undefined;
}
