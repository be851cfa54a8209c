import { ReadGivesWay } from '../../limits/fair-reads.ts';
import { findPostAnswers, type PostAnswerName, storePostAnswer } from '../../../store/posts/post-answers.ts';
import { Unavailable } from '../../../upstream/outcomes.ts';
import { keepWhileAlive, withoutCacheFaults } from '../../grants/refresh/answer-cache.ts';
import type { Context } from '../../context.ts';
import { withTimeout } from '../../work/with-timeout.ts';

/** The last answers about posts. They only save requests, so that a cache that fails costs nobody an answer. */

/** Under this name stands when posts were last changed with a grant. */
const CHANGED = 'changed';

export interface KeptAnswer {
  /** As it was stored; nothing for one that a wrong clock dated into the future, or that nobody can read. */
  answer: unknown;
  /** How many posts a list has as far as is known, with what was written since it was read. */
  length: number | undefined;
  /** What was read at this time or before may be out of date. */
  changedAt: number;
}

/** The kept answer of this name. */
export async function keptAnswer(context: Context, { grantId, what }: PostAnswerName): Promise<KeptAnswer> {
  const kept = await withoutCacheFaults(context, grantId, async () => {
    const rows = await findPostAnswers(context.store, grantId, [what, CHANGED]);
    const [row, changed] = [rows.get(what), rows.get(CHANGED)];
    const isPast = row !== undefined && row.fetched_at <= context.clock.now();
    const answer: unknown = isPast ? JSON.parse(row.body) : undefined;
    return { answer, length: row?.length ?? undefined, changedAt: changed?.fetched_at ?? 0 };
  });
  return kept ?? { answer: undefined, length: undefined, changedAt: 0 };
}

/** From now on what is kept of a grant's posts is out of date: who has written reads what was written. */
export async function notePostsChanged(context: Context, grantId: string): Promise<void> {
  await keepPostAnswer(context, { grantId, what: CHANGED }, { answer: null });
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
    return await withTimeout(fetching);
  } catch (error) {
    const known = isPassing(error) ? lastKnown() : undefined;
    if (known === undefined) throw error;
    context.logger.warn('served the last known answer', { grantId: name.grantId, error });
    return known;
  }
}
