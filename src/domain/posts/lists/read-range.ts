import { CALLER_WAIT, MINUTE } from '../../../shared/lifetimes.ts';
import { NotSent, Unavailable } from '../../../upstream/outcomes.ts';
import {
  type PageRange,
  type PostsPage,
  readPostsPage,
  UnreadablePage,
} from '../../../upstream/posts/read-posts.ts';
import type { GrantClient } from '../../grants/grant-client.ts';
import { freshFor } from '../../limits/freshness.ts';
import { askForPosts } from '../ask-for-posts.ts';
import type { PostsDeps } from '../deps.ts';
import {
  beginList,
  beginWithFar,
  hasNewest,
  type KeptList,
  type PageMark,
  markFor,
  type Range,
  restartList,
  withoutMark,
  withPage,
} from './kept-list.ts';
import type { PostList } from './lists.ts';

/** Reads a part of a list of posts from the new API, with as few requests as cursors allow. */

/**
 * The most posts in one answer of the new API. A request for fewer costs the same. More posts show the end of most lists,
 * so that their totals are exact, and serve the next calls.
 */
const MOST_AT_ONCE = 100;

/** The most requests for a page without a known cursor, and for a page that comes in parts. */
const MOST_STEPS = 5;

const START: PageMark = { offset: 0, cursor: undefined };

/** The time that a caller may take between two pages of one reading. */
const READING_LIFETIME = 10 * MINUTE;

export interface ListRequest {
  grant: GrantClient;
  list: PostList;
  range: Range;
  /** Pages that were read later than this are fresh. */
  freshSince: number;
}

/**
 * The posts that must come from a mark on: those to the end of the range. Where these are too many for one answer, those
 * before the range; behind them the range has a cursor of its own.
 */
function neededFrom(mark: PageMark, { offset, count }: Range): number {
  const before = offset - mark.offset;
  return before + count <= MOST_AT_ONCE ? before + count : Math.min(MOST_AT_ONCE, before);
}

/** Whether fewer posts may come where a hundred did not: their answer was too long or too slow, or one of them spoilt it. */
function mayBeTooMany(error: unknown, { after }: Pick<PageRange, 'after'>): boolean {
  if (!(error instanceof Unavailable) || error instanceof NotSent) return false;
  const isOfCursor = error instanceof UnreadablePage && after !== undefined;
  return !isOfCursor && error.retryAfter === undefined;
}

/**
 * Asks for a hundred posts. Where they do not come, it asks once for those that are needed, while the caller waits.
 * @throws {GrantDead | ScopeMissing | Forbidden | OrganizationGone | LimitReached | Unavailable}
 */
async function readMost(
  { clock }: Pick<PostsDeps, 'clock'>,
  ask: (wanted: PageRange) => Promise<PostsPage>,
  { needed, after }: { needed: number; after: string | undefined },
): Promise<PostsPage> {
  const begun = clock.elapsed();
  try {
    return await ask({ first: MOST_AT_ONCE, after });
  } catch (error) {
    const isWorthIt = needed < MOST_AT_ONCE && mayBeTooMany(error, { after });
    if (!isWorthIt || clock.elapsed() - begun >= CALLER_WAIT) throw error;
    return ask({ first: needed, after });
  }
}

/** The new API may give fewer posts at once than are asked for: reads on until the needed ones are there or the list ends. */
async function readWhole(
  context: PostsDeps,
  { grant, list: { question } }: ListRequest,
  { needed, after }: { needed: number; after: string | undefined },
): Promise<PostsPage> {
  const ask = (wanted: PageRange) =>
    askForPosts(context, grant, (asker) => readPostsPage(asker, question, wanted));
  let { posts, cursors, next } = await readMost(context, ask, { needed, after });
  for (let step = 1; step < MOST_STEPS && next !== undefined && posts.length < needed; step += 1) {
    const page = await ask({ first: MOST_AT_ONCE - posts.length, after: next });
    posts = [...posts, ...page.posts];
    cursors = [...cursors, ...page.cursors];
    ({ next } = page);
  }
  return { posts, cursors, next };
}

/** Reads the page at a mark, and adds the page to the list. */
async function readInto(
  context: PostsDeps,
  asking: ListRequest,
  { list, mark }: { list: KeptList; mark: PageMark },
): Promise<KeptList> {
  const readAt = context.clock.now();
  const { range } = asking;
  const page = await readWhole(context, asking, {
    needed: neededFrom(mark, range),
    after: mark.cursor,
  });
  const begun = mark.offset === 0 ? restartList(list, page.posts, readAt) : list;
  return withPage(begun, mark, { ...page, range, readAt });
}

export const isBeyond = ({ length }: KeptList, offset: number) => length !== undefined && offset >= length;

/** Whether few requests lead from a mark to an offset. */
export const isInReach = (mark: PageMark, offset: number) =>
  (offset - mark.offset) / MOST_AT_ONCE <= MOST_STEPS;

/**
 * Reads up to the beginning of the range, and then the range. The first request is sent even if the range is out of
 * reach: it may show that the list ends before the range.
 * @throws {UnreadablePage} the first cursor leads nowhere
 */
async function readOn(context: PostsDeps, asking: ListRequest, known: KeptList): Promise<KeptList> {
  const { range } = asking;
  const first = markFor(known, range.offset);
  let [list, mark] = [known, first];
  for (;;) {
    list = await readInto(context, asking, { list, mark });
    // Posts left the end of the list since the cursor was told. Where the list ends now, it does not show.
    if (first.cursor !== undefined && list.length === first.offset)
      throw new UnreadablePage('the list ends before its cursor');
    if (isBeyond(list, range.offset) || hasNewest(list, range)) return list;
    const next = markFor(list, range.offset);
    // No progress: posts did not come. No further posts can be read.
    if (next.offset <= mark.offset || !isInReach(next, range.offset)) return list;
    mark = next;
  }
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
function otherWays({ range: { offset } }: ListRequest, running: KeptList, now: number): KeptList[] {
  const without = withoutMark(running, offset);
  const anew = beginList(now, running);
  return markFor(without, offset).cursor === undefined ? [anew] : [without, anew];
}

/**
 * The list with the posts of a range, as far as they can be read. A cursor that the new API no longer knows, or that
 * leads nowhere, does not fail the call. The reading loses cursors.
 */
export async function readRange(
  context: PostsDeps,
  asking: ListRequest,
  kept: KeptList | undefined,
): Promise<KeptList> {
  const running = runningList(context, asking, kept);
  try {
    return await readOn(context, asking, running);
  } catch (error) {
    // Without a cursor of an earlier call the same request would go out again.
    const { cursor } = markFor(running, asking.range.offset);
    if (!(error instanceof UnreadablePage) || cursor === undefined) throw error;
    const [next = running, last] = otherWays(asking, running, context.clock.now());
    return readOn(context, asking, next).catch((again: unknown) => {
      if (!(again instanceof UnreadablePage) || !last) throw again;
      return readOn(context, asking, last);
    });
  }
}
