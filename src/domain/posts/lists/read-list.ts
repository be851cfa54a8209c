import { MINUTE } from '../../../shared/lifetimes.ts';
import { Refusal } from '../../../shared/refusals/refusal.ts';
import type { Post } from '../../../upstream/posts/post.ts';
import {
  type PageRange,
  type PostsPage,
  readPostsPage,
  UnreadablePage,
} from '../../../upstream/posts/read-posts.ts';
import type { PostsDeps } from '../deps.ts';
import { freshFor } from '../../limits/freshness.ts';
import type { GrantClient } from '../../grants/grant-client.ts';
import { askForPosts } from '../ask-for-posts.ts';
import {
  beginList,
  beginWithFar,
  type KeptList,
  keptList,
  type KeptPage,
  type PageMark,
  markFor,
  pageFor,
  type Range,
  restartList,
  listTotal,
  totalOfMeant,
  withKnownLength,
  withoutMark,
  withPage,
} from './kept-list.ts';
import type { AnswerVersion } from '../../../store/posts/told-lists.ts';
import type { PostList } from './lists.ts';
import { freshOrLastKnown, keepPostAnswer, keptAnswer } from './post-cache.ts';

/** Reads a page of a list of posts: from the cache while fresh, else with as few requests as cursors allow. */

/** The most posts in one answer of the new API. */
const MOST_AT_ONCE = 100;

/** A request for fewer posts costs the same, and further posts serve the next calls. */
const FEWEST_AT_ONCE = 20;

/** The most requests for a page without a known cursor, and for a page that comes in parts. */
const MOST_STEPS = 5;

const START: PageMark = { offset: 0, cursor: undefined };

/** The time that a caller may take between two pages of one reading. */
const READING_LIFETIME = 10 * MINUTE;

/** The page is so far behind the last known cursor that the page would cost too many requests. */
export class PageOutOfReach extends Refusal {}

export interface ListAnswer {
  posts: Post[];
  total: number;
  fetchedAt: number;
  isStale: boolean;
  /** The kept answer that a fresh page was taken from; undefined for a page that was read just now. */
  version?: AnswerVersion | undefined;
}

interface ListRequest {
  grant: GrantClient;
  list: PostList;
  range: Range;
  /** When posts were last changed with the grant. */
  changedAt: number;
}

/** The new API may give fewer posts at once than are asked for: reads on until all are there or the list ends. */
async function readWhole(
  context: PostsDeps,
  { grant, list: { question } }: ListRequest,
  { first, after }: PageRange,
): Promise<PostsPage> {
  const ask = (wanted: PageRange) =>
    askForPosts(context, grant, (asker) => readPostsPage(asker, question, wanted));
  let { posts, next } = await ask({ first, after });
  for (let step = 1; step < MOST_STEPS && next !== undefined && posts.length < first; step += 1) {
    const page = await ask({ first: first - posts.length, after: next });
    posts = [...posts, ...page.posts];
    ({ next } = page);
  }
  return { posts, next };
}

/** Reads the page at a mark, and adds the page to the list. */
async function readInto(
  context: PostsDeps,
  asking: ListRequest,
  { list, mark, first }: { list: KeptList; mark: PageMark; first: number },
): Promise<KeptList> {
  const readAt = context.clock.now();
  const page = await readWhole(context, asking, { first, after: mark.cursor });
  const begun = mark.offset === 0 ? restartList(list, page.posts, readAt) : list;
  return withPage(begun, mark, { ...page, readAt });
}

const isBeyond = ({ length }: KeptList, offset: number) => length !== undefined && offset >= length;

/** Whether few requests lead from a mark to an offset. */
const isInReach = (mark: PageMark, offset: number) => (offset - mark.offset) / MOST_AT_ONCE <= MOST_STEPS;

/** Reads up to the beginning of the range, and then the range. @throws {PageOutOfReach} no request was sent */
async function readRange(context: PostsDeps, asking: ListRequest, known: KeptList): Promise<KeptList> {
  const { offset, count } = asking.range;
  let [list, mark] = [known, markFor(known, offset)];
  if (!isInReach(mark, offset)) throw new PageOutOfReach('the page is too far from the pages that were read');
  while (mark.offset < offset && !isBeyond(list, offset)) {
    list = await readInto(context, asking, {
      list,
      mark,
      first: Math.min(MOST_AT_ONCE, offset - mark.offset),
    });
    const next = markFor(list, offset);
    // No progress: the list ended here, or a cursor led to an empty page. No further posts can be read.
    if (next.offset <= mark.offset) return list;
    mark = next;
  }
  if (isBeyond(list, offset)) return list;
  return readInto(context, asking, { list, mark, first: Math.max(count, FEWEST_AT_ONCE) });
}

/** The known length may have changed before the list is read further. */
const withoutLength = (list: KeptList): KeptList => ({
  ...list,
  length: undefined,
  lastLength: list.length ?? list.lastLength,
});

/**
 * The reading that takes the next page: the current reading, or a new one. A first page is compared with the cached
 * list, and a list with the same beginning keeps its cursors. A page that only a cursor reaches is read with a cursor
 * of any age: a caller in the middle of a long list can go on, despite later writes.
 */
function runningList(
  context: PostsDeps,
  { grant, range: { offset } }: ListRequest,
  kept: KeptList | undefined,
): KeptList {
  const now = context.clock.now();
  const lifetime = Math.max(READING_LIFETIME, freshFor(context, grant));
  if (!kept) return beginList(now, kept);
  const isOver = offset > 0 && now - kept.startedAt >= lifetime;
  return isOver && isInReach(START, offset) ? beginWithFar(now, kept) : withoutLength(kept);
}

/** The readings to try after an unreadable answer: first without the used cursor, then without any cursor. */
function otherWays(asking: ListRequest, running: KeptList, now: number): KeptList[] {
  const without = withoutMark(running, asking.range.offset);
  return without.marks.length > 0 ? [without, beginList(now, running)] : [beginList(now, running)];
}

/** A cursor that the new API no longer knows does not fail the call. The reading loses cursors. */
async function readAnew(
  context: PostsDeps,
  asking: ListRequest,
  kept: KeptList | undefined,
): Promise<KeptList> {
  const running = runningList(context, asking, kept);
  try {
    return await readRange(context, asking, running);
  } catch (error) {
    // Without a cursor of an earlier call the same request would go out again.
    const { cursor } = markFor(running, asking.range.offset);
    if (!(error instanceof UnreadablePage) || cursor === undefined) throw error;
    const [next = running, last] = otherWays(asking, running, context.clock.now());
    return readRange(context, asking, next).catch((again: unknown) => {
      if (!(again instanceof UnreadablePage) || !last) throw again;
      return readRange(context, asking, last);
    });
  }
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
    total: isMeant
      ? totalOfMeant(list, isMeant, { offset, count: meant.length })
      : listTotal(list, offset + posts.length),
    fetchedAt: page?.readAt ?? list.startedAt,
    isStale,
  };
}

async function fetchRange(
  context: PostsDeps,
  asking: ListRequest,
  kept: KeptList | undefined,
): Promise<ListAnswer> {
  const {
    grant,
    list: { name: what },
    range,
  } = asking;
  const list = await readAnew(context, asking, kept);
  const length = list.length ?? list.lastLength ?? null;
  await keepPostAnswer(context, { grantId: grant.id, what }, { answer: list, length });
  return answerFrom(asking, { list, page: pageFor(list, { ...range, count: 1 }, 0), isStale: false });
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
  const asking = { grant, list, range, changedAt };
  const parsed = keptList.safeParse(answer).data;
  const kept = parsed && withKnownLength(parsed, length);
  const now = context.clock.now();
  const known = (since: number, isStale: boolean): ListAnswer | undefined => {
    const page = kept && pageFor(kept, range, since + 1);
    return page && answerFrom(asking, { list: kept, page, isStale });
  };
  const fresh = known(Math.max(now - freshFor(context, grant), changedAt), false);
  if (fresh) return { ...fresh, version };
  // `changedAt` in the key: a call after a change does not join a reading that began before the change.
  const key = `posts ${grant.id} ${list.name} ${range.offset} ${range.count} ${changedAt}`;
  const read = () => fetchRange(context, asking, kept);
  const lastKnown = () => known(Math.max(now - context.settings.profilesStale, changedAt), true);
  return freshOrLastKnown(context, { grant, key, read, lastKnown });
}
