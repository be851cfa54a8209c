import { ReadGivesWay } from '../limits/fair-reads.ts';
import { findPostAnswer, type PostAnswerName, storePostAnswer } from '../../store/posts/post-answers.ts';
import { Unavailable } from '../../upstream/outcomes.ts';
import { keepWhileAlive, withoutCacheFaults } from '../answer-cache.ts';
import type { Context } from '../context.ts';
import { withPatience } from '../patience.ts';

/** The last answers about posts. They only save requests, so that a cache that fails costs nobody an answer. */

/** A kept answer as it was stored; nothing for one that a wrong clock dated into the future, or that nobody can read. */
export async function keptAnswer(context: Context, name: PostAnswerName): Promise<unknown> {
  return withoutCacheFaults(context, name.grantId, async () => {
    const row = await findPostAnswer(context.store, name);
    return row && row.fetched_at <= context.clock.now() ? (JSON.parse(row.body) as unknown) : undefined;
  });
}

/** Keeps an answer for the next call, while its grant lives; `length` is what is known of a list's. */
export async function keepPostAnswer(
  context: Context,
  name: PostAnswerName,
  { answer, length = null }: { answer: unknown; length?: number | null },
): Promise<void> {
  const row = { body: JSON.stringify(answer), length, fetched_at: context.clock.now() };
  await keepWhileAlive(context, name.grantId, () => storePostAnswer(context.store, name, row));
}

/** What is answered when the new API cannot be asked now, where something is known. */
interface Fallback<Answer> {
  name: PostAnswerName;
  lastKnown: () => Answer | undefined;
}

function isPassing(error: unknown): boolean {
  return error instanceof Unavailable || error instanceof ReadGivesWay;
}

/** The new answer, or the last known one while the new API is out of reach or the rest of the budget is kept. */
export async function freshOrLastKnown<Answer>(
  context: Context,
  { name, lastKnown }: Fallback<Answer>,
  fetching: Promise<Answer>,
): Promise<Answer> {
  try {
    return await withPatience(fetching);
  } catch (error) {
    const known = isPassing(error) ? lastKnown() : undefined;
    if (known === undefined) throw error;
    context.logger.warn('served the last known answer', { grantId: name.grantId, error });
    return known;
  }
}
