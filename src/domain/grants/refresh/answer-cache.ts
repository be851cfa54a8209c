import { dropAnswer, findAnswer, type StoredAnswer, storeAnswer } from '../../../store/grants/answers.ts';
import { isAlive } from '../../../store/grants/grants.ts';
import { dropPostAnswers } from '../../../store/posts/post-answers.ts';
import type { GrantsDeps } from '../deps.ts';

/** The last answers of the main API. The cache only saves work, so a failing cache makes no call and no change fail. */

/** Returns the result of `work` on the cache; undefined when the cache fails. */
export async function withoutCacheFaults<T>(
  context: GrantsDeps,
  grantId: string,
  work: () => Promise<T>,
): Promise<T | undefined> {
  try {
    return await work();
  } catch (error) {
    context.logger.warn('the cache of answers does not work', { grantId, error });
    return undefined;
  }
}

/** The last answer for a grant. An answer that a wrong clock dated into the future is ignored. */
export async function cachedAnswer(context: GrantsDeps, grantId: string): Promise<StoredAnswer | undefined> {
  const answer = await withoutCacheFaults(context, grantId, () => findAnswer(context.store, grantId));
  return answer && answer.fetched_at <= context.clock.now() ? answer : undefined;
}

/** Runs `keep`, which stores in the cache, only while the grant lives. */
export async function keepWhileAlive(
  context: GrantsDeps,
  grantId: string,
  keep: () => Promise<void>,
): Promise<void> {
  await withoutCacheFaults(context, grantId, async () => {
    if (await isAlive(context.store, grantId)) await keep();
  });
}

/** Stores an answer for the next call, only while the grant lives. */
export async function keepAnswer(context: GrantsDeps, grantId: string, answer: StoredAnswer): Promise<void> {
  await keepWhileAlive(context, grantId, () => storeAnswer(context.store, grantId, answer));
}

/** Forgets the answers of a grant that has ended. */
export async function forgetAnswer(context: GrantsDeps, grantId: string): Promise<void> {
  await withoutCacheFaults(context, grantId, () => dropAnswer(context.store, grantId));
  await withoutCacheFaults(context, grantId, () => dropPostAnswers(context.store, grantId));
}
