import { MINUTE } from '../../../shared/lifetimes.ts';
import type { Post } from '../../../upstream/posts/post.ts';
import { readPostsPage, UnreadablePage } from '../../../upstream/posts/read-posts.ts';
import type { Context } from '../../context.ts';
import { freshFor } from '../../limits/freshness.ts';
import { askForPosts, type PostsReader } from '../ask-for-posts.ts';
import {
  beginList,
  beginWithFar,
  type KeptList,
  keptList,
  type KeptPage,
  type Mark,
  markFor,
  pageFor,
  type Range,
  restartList,
  totalOf,
  totalOfMeant,
  withKnownLength,
  withoutMark,
  withPage,
} from './kept-list.ts';
import type { PostList } from './lists.ts';
import { freshOrLastKnown, keepPostAnswer, keptAnswer } from './post-cache.ts';

/** A page of a list of posts: from what is kept while that is fresh, else by as few requests as cursors allow. */

/** The most that the new API answers with at once. */
const MOST_AT_ONCE = 100;

/** One request costs the same for few posts, and more of them serve the next calls. */
const FEWEST_AT_ONCE = 20;

/** How many requests may be spent to reach a page to which no cursor is known. */
const MOST_STEPS = 5;

const START: Mark = { offset: 0, cursor: undefined };

/** So long a caller may take its time between two pages of one reading. */
const READING_LIFETIME = 10 * MINUTE;

/** A page so far behind the last known cursor that too many requests would be needed to reach it. */
export class PageOutOfReach extends Error {
  override readonly name = 'PageOutOfReach';
}

export interface ListAnswer {
  posts: Post[];
  total: number;
  fetchedAt: number;
  isStale: boolean;
}

interface Asking extends PostsReader {
  list: PostList;
  range: Range;
  /** When posts were last changed with the grant. */
  changedAt: number;
}

/** Reads the page that begins at a mark into the list. */
async function readInto(
  context: Context,
  asking: Asking,
  { list, mark, first }: { list: KeptList; mark: Mark; first: number },
): Promise<KeptList> {
  const readAt = context.clock.now();
  const wanted = { first, after: mark.cursor };
  const page = await askForPosts(context, asking, (asker) =>
    readPostsPage(asker, asking.list.question, wanted),
  );
  const begun = mark.offset === 0 ? restartList(list, page.posts, readAt) : list;
  return withPage(begun, mark, { ...page, readAt });
}

const isBeyond = ({ length }: KeptList, offset: number) => length !== undefined && offset >= length;

/** Whether few requests reach an offset from a mark. */
const isInReach = (mark: Mark, offset: number) => (offset - mark.offset) / MOST_AT_ONCE <= MOST_STEPS;

/** Reads on to where the range begins, and then the range. @throws {PageOutOfReach} nothing was asked for */
async function readRange(context: Context, asking: Asking, known: KeptList): Promise<KeptList> {
  const { offset, count } = asking.range;
  let [list, mark] = [known, markFor(known, offset)];
  if (!isInReach(mark, offset)) throw new PageOutOfReach();
  while (mark.offset < offset && !isBeyond(list, offset)) {
    list = await readInto(context, asking, {
      list,
      mark,
      first: Math.min(MOST_AT_ONCE, offset - mark.offset),
    });
    const next = markFor(list, offset);
    // An end that was not told, or a page that is shorter than its cursor says: nothing more is to be had.
    if (next.offset <= mark.offset) return list;
    mark = next;
  }
  if (isBeyond(list, offset)) return list;
  return readInto(context, asking, { list, mark, first: Math.max(count, FEWEST_AT_ONCE) });
}

/** What was known of the length may have changed by the time at which a list is read on. */
const withoutLength = (list: KeptList): KeptList => ({
  ...list,
  length: undefined,
  lastLength: list.length ?? list.lastLength,
});

/**
 * What the next page is read into: the reading that runs, or a new one. The first page is read into what was known, so
 * that a list that begins as it did keeps its cursors. A page that only they reach is read by them however old they are:
 * who reads a long list goes on where it was, whatever was written meanwhile.
 */
function runningList(
  context: Context,
  { grant, range: { offset } }: Asking,
  kept: KeptList | undefined,
): KeptList {
  const now = context.clock.now();
  const lifetime = Math.max(READING_LIFETIME, freshFor(context, grant));
  if (!kept) return beginList(now, kept);
  const isOver = offset > 0 && now - kept.startedAt >= lifetime;
  return isOver && isInReach(START, offset) ? beginWithFar(now, kept) : withoutLength(kept);
}

/** What an answer that cannot be read is tried with next: without the cursor that was sent, and then without any. */
function otherWays(asking: Asking, running: KeptList, now: number): KeptList[] {
  const without = withoutMark(running, asking.range.offset);
  return without.marks.length > 0 ? [without, beginList(now, running)] : [beginList(now, running)];
}

/** A cursor that the new API does not know any more costs the reading cursors, and the caller nothing. */
async function readAnew(context: Context, asking: Asking, kept: KeptList | undefined): Promise<KeptList> {
  const running = runningList(context, asking, kept);
  try {
    return await readRange(context, asking, running);
  } catch (error) {
    if (!(error instanceof UnreadablePage) || running.marks.length === 0) throw error;
    const [next = running, last] = otherWays(asking, running, context.clock.now());
    return readRange(context, asking, next).catch((again: unknown) => {
      if (!(again instanceof UnreadablePage) || !last) throw again;
      return readRange(context, asking, last);
    });
  }
}

interface Cut {
  list: KeptList;
  page: KeptPage | undefined;
  isStale: boolean;
}

/** The range out of its page, without the posts that the caller does not mean. */
function answerFrom({ list: { isMeant }, range }: Asking, { list, page, isStale }: Cut): ListAnswer {
  const start = range.offset - (page?.offset ?? 0);
  const posts = page?.posts.slice(start, start + range.count) ?? [];
  const meant = isMeant ? posts.filter(isMeant) : posts;
  const { offset } = range;
  return {
    posts: meant,
    total: isMeant
      ? totalOfMeant(list, isMeant, { offset, count: meant.length })
      : totalOf(list, offset + posts.length),
    fetchedAt: page?.readAt ?? list.startedAt,
    isStale,
  };
}

async function fetchRange(context: Context, asking: Asking, kept: KeptList | undefined): Promise<ListAnswer> {
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
 * A part of a list of posts. The last known one serves while the new API is out of reach or the rest of its budget is kept.
 * @throws {GrantDead | ScopeMissing | Forbidden | OrganizationGone | PageOutOfReach | ReadGivesWay | Unavailable}
 */
export async function readList(
  context: Context,
  reader: PostsReader,
  { list, range }: { list: PostList; range: Range },
): Promise<ListAnswer> {
  const { grant } = reader;
  const name = { grantId: grant.id, what: list.name };
  const { answer, length, changedAt } = await keptAnswer(context, name);
  const asking = { ...reader, list, range, changedAt };
  const parsed = keptList.safeParse(answer).data;
  const kept = parsed && withKnownLength(parsed, length);
  const now = context.clock.now();
  const known = (since: number, isStale: boolean): ListAnswer | undefined => {
    const page = kept && pageFor(kept, range, since + 1);
    return page && answerFrom(asking, { list: kept, page, isStale });
  };
  const fresh = known(Math.max(now - freshFor(context, grant), changedAt), false);
  if (fresh) return fresh;
  // Who comes after a change does not join a reading that began before it.
  const flight = `posts ${grant.id} ${list.name} ${range.offset} ${range.count} ${changedAt}`;
  const fetching = context.flights.run(flight, () => fetchRange(context, asking, kept));
  const lastKnown = () => known(Math.max(now - context.settings.profilesStale, changedAt), true);
  return freshOrLastKnown(context, { name, lastKnown }, fetching);
}
