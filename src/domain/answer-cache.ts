import { dropAnswer, findAnswer, type StoredAnswer, storeAnswer } from '../store/answers.ts';
import { findGrant } from '../store/grants.ts';
import type { Context } from './context.ts';

/** The last answers of the main API. They only save work, so a cache that fails costs nobody an answer or a change. */

async function tolerant<T>(
  context: Context,
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

/** The last answer for a grant; one that a wrong clock dated into the future counts as none. */
export async function cachedAnswer(context: Context, grantId: string): Promise<StoredAnswer | undefined> {
  const answer = await tolerant(context, grantId, () => findAnswer(context.store, grantId));
  return answer && answer.fetched_at <= context.clock.now() ? answer : undefined;
}

/** Keeps an answer for the next call, while its grant lives. */
export async function keepAnswer(context: Context, grantId: string, answer: StoredAnswer): Promise<void> {
  await tolerant(context, grantId, async () => {
    const grant = await findGrant(context.store.durable, grantId);
    if (grant && grant.state !== 'dead') await storeAnswer(context.store, grantId, answer);
  });
}

/** Forgets the answer of a grant that has ended. */
export async function forgetAnswer(context: Context, grantId: string): Promise<void> {
  await tolerant(context, grantId, () => dropAnswer(context.store, grantId));
}
