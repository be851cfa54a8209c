import { Refusal } from '../../../shared/refusals/refusal.ts';
import type { Post } from '../../../upstream/posts/post.ts';
import type { PostsDeps } from '../deps.ts';
import { freshFor } from '../../limits/freshness.ts';
import type { GrantClient } from '../../grants/grant-client.ts';
import {
  goesOnFreshAt,
  type KeptList,
  keptList,
  type KeptPage,
  listTotal,
  markFor,
  pageFor,
  type Range,
  totalOfMeant,
  withKnownLength,
} from './kept-list.ts';
import type { AnswerVersion } from '../../../store/posts/told-lists.ts';
import type { PostList } from './lists.ts';
import { freshOrLastKnown, keepPostAnswer, keptAnswer } from './post-cache.ts';
import { isBeyond, isInReach, type ListRequest, readRange } from './read-range.ts';

/** Reads a page of a list of posts: from the cache while fresh, else with as few requests as cursors allow. */

/** The page is so far behind the last known cursor that the page would cost too many requests, and the list goes on there. */
export class PageOutOfReach extends Refusal {}

export interface ListAnswer {
  posts: Post[];
  total: number;
  fetchedAt: number;
  isStale: boolean;
  /** The kept answer that a fresh page was taken from; undefined for a page that was read just now. */
  version?: AnswerVersion | undefined;
}

interface ListReading {
  list: KeptList;
  page: KeptPage | undefined;
  isStale: boolean;
}

/** The range from its page, without posts that the caller does not mean. */
function answerFrom(
  { list: { isMeant }, range }: ListRequest,
  { list, page, isStale }: ListReading,
): ListAnswer {
  const start = range.offset - (page?.offset ?? 0);
  const posts = page?.posts.slice(start, start + range.count) ?? [];
  const meant = isMeant ? posts.filter(isMeant) : posts;
  const { offset } = range;
  return {
    posts: meant,
    total: isMeant ? totalOfMeant(list, isMeant, { offset, count: meant.length }) : listTotal(list),
    fetchedAt: page?.readAt ?? list.startedAt,
    isStale,
  };
}

const TOO_FAR = 'the page is too far from the pages that were read';

/** Whether the range is out of reach, and a fresh page shows that the list goes on behind its last mark. */
function goesOnOutOfReach(kept: KeptList, { range: { offset }, freshSince }: ListRequest): boolean {
  const mark = markFor(kept, offset);
  return !isInReach(mark, offset) && goesOnFreshAt(kept, mark.offset, freshSince);
}

/** Whether the range is at or behind the end, or in reach of a mark. */
const canTell = (list: KeptList, { offset }: Range) =>
  isBeyond(list, offset) || isInReach(markFor(list, offset), offset);

async function fetchRange(
  context: PostsDeps,
  asking: ListRequest,
  kept: KeptList | undefined,
): Promise<ListReading> {
  const {
    grant,
    list: { name: what },
    range,
  } = asking;
  // The list was seen to go on not long ago, so that a caller who asks again and again costs nothing.
  if (kept && goesOnOutOfReach(kept, asking)) throw new PageOutOfReach(TOO_FAR);
  const list = await readRange(context, asking, kept);
  const length = list.length ?? list.lastLength ?? null;
  await keepPostAnswer(context, { grantId: grant.id, what }, { answer: list, length });
  if (!canTell(list, range)) throw new PageOutOfReach(TOO_FAR);
  return { list, page: pageFor(list, { ...range, count: 1 }, 0), isStale: false };
}

/**
 * Reads a part of a list of posts. The last known page serves while the new API is out of reach, or while the rest of
 * its budget is reserved.
 * @throws {GrantDead | ScopeMissing | Forbidden | OrganizationGone | PageOutOfReach | LimitReached | Unavailable}
 */
export async function readList(
  context: PostsDeps,
  grant: GrantClient,
  { list, range }: { list: PostList; range: Range },
): Promise<ListAnswer> {
  const name = { grantId: grant.id, what: list.name };
  const { answer, length, version, changedAt } = await keptAnswer(context, name);
  const now = context.clock.now();
  const freshSince = Math.max(now - freshFor(context, grant), changedAt);
  const asking = { grant, list, range, freshSince };
  const parsed = keptList.safeParse(answer).data;
  const kept = parsed && withKnownLength(parsed, length);
  const known = (since: number, isStale: boolean): ListReading | undefined => {
    const page = kept && pageFor(kept, range, since + 1);
    return page && { list: kept, page, isStale };
  };
  const fresh = known(freshSince, false);
  if (fresh) return { ...answerFrom(asking, fresh), version };
  // `changedAt` in the key: a call after a change does not join a reading that began before the change.
  const key = `posts ${grant.id} ${list.name} ${range.offset} ${range.count} ${changedAt}`;
  const read = () => fetchRange(context, asking, kept);
  const lastKnown = () => known(Math.max(now - context.settings.profilesStale, changedAt), true);
  // Calls for sent posts since another time share the reading, and not the answer.
  return answerFrom(asking, await freshOrLastKnown(context, { grant, key, read, lastKnown }));
}
