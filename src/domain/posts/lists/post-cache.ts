import {
  findTwoAnswers,
  type PostAnswerName,
  storePostAnswer,
  WHEN_CHANGED,
} from '../../../store/posts/post-answers.ts';
import type { AnswerVersion } from '../../../store/posts/told-lists.ts';
import { keepWhileAlive, withoutCacheFaults } from '../../grants/refresh/answer-cache.ts';
import type { PostsDeps } from '../deps.ts';
import type { GrantClient } from '../../grants/grant-client.ts';
import { isPassing, tellLastKnown, untilAnswered } from '../../reads/until-answered.ts';

/** The last answers about posts. The cache only saves requests, therefore a broken cache does not fail a call. */

export interface KeptAnswer {
  /** The stored answer; undefined where a wrong clock dated it into the future, or where it cannot be read. */
  answer: unknown;
  /** The known length of a list, including writes since the list was read. */
  length: number | undefined;
  /** The row of the answer; undefined without one. */
  version: AnswerVersion | undefined;
  /** Answers that were read at this time or earlier may be out of date. */
  changedAt: number;
}

/** The cached answer with this name. */
export async function keptAnswer(context: PostsDeps, { grantId, what }: PostAnswerName): Promise<KeptAnswer> {
  const kept = await withoutCacheFaults(context, grantId, async () => {
    const [row, changed] = await findTwoAnswers(context.store, grantId, [what, WHEN_CHANGED]);
    const isPast = row !== undefined && row.fetched_at <= context.clock.now();
    const answer: unknown = isPast ? JSON.parse(row.body) : undefined;
    const version = row && { fetchedAt: row.fetched_at, length: row.length };
    return { answer, length: row?.length ?? undefined, version, changedAt: changed?.fetched_at ?? 0 };
  });
  return kept ?? { answer: undefined, length: undefined, version: undefined, changedAt: 0 };
}

/** Marks all cached posts of a grant as out of date: a caller that has written must read its own write. */
export async function notePostsChanged(context: PostsDeps, grantId: string): Promise<void> {
  await keepPostAnswer(context, { grantId, what: WHEN_CHANGED }, { answer: null });
}

/** Caches an answer while its grant lives. `length` is the known length of a list. */
export async function keepPostAnswer(
  context: PostsDeps,
  name: PostAnswerName,
  { answer, length = null }: { answer: unknown; length?: number | null },
): Promise<void> {
  const row = { body: JSON.stringify(answer), length, fetched_at: context.clock.now() };
  await keepWhileAlive(context, name.grantId, () => storePostAnswer(context.store, name, row));
}

/** A read that other callers may share, and the answer while the new API cannot be asked now, if one is known. */
interface ReadWithFallback<Answer> {
  grant: GrantClient;
  key: string;
  read: () => Promise<Answer>;
  lastKnown: () => Answer | undefined;
}

/** The new answer; the last known one while the new API is out of reach or the rest of the budget is reserved. */
export async function freshOrLastKnown<Answer>(
  context: PostsDeps,
  { grant, key, read, lastKnown }: ReadWithFallback<Answer>,
): Promise<Answer> {
  const known = lastKnown();
  try {
    return await untilAnswered(context, { key, read, hasLastKnown: known !== undefined });
  } catch (error) {
    if (!isPassing(error)) throw error;
    if (known === undefined) throw error;
    tellLastKnown(context, { grant, error });
    return known;
  }
}
