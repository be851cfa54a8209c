import { z } from 'zod';
import { post, type Post } from '../../../upstream/posts/post.ts';
import type { PostsPage } from '../../../upstream/posts/read-posts.ts';

/**
 * The cached part of one list of posts: the pages that were read last, and the cursors behind them. The new API pages
 * forward by cursors and the old API pages by numbers, therefore a page in the middle needs the cursor before the page.
 * All pages and cursors belong to one reading that began with the first page: cursors of an earlier reading would leave
 * out new posts.
 */

/**
 * The most posts and the most characters of JSON that are kept, from the pages that were read last. The posts that the
 * caller of the newest page asked for are always kept.
 */
const MOST_POSTS = 200;
const MOST_TEXT = 256 * 1024;

const MOST_MARKS = 100;

/** Cursors are short, so they are kept of more answers than posts are. */
const MOST_TRAILS = 6;

const keptPage = z.object({ offset: z.number(), posts: z.array(post), readAt: z.number() });

/** One cursor for each post of one answer: it leads to the place behind the post. Null where none was told. */
const trail = z.object({
  offset: z.number(),
  readAt: z.number(),
  cursors: z.array(z.string().nullable()),
});

export const keptList = z.object({
  startedAt: z.number(),
  /** The newest page first. */
  pages: z.array(keptPage),
  /** `cursor` leads to the page that begins at `offset`. Sorted by offset. */
  marks: z.array(z.object({ offset: z.number(), cursor: z.string() })),
  /**
   * The cursors of the last answers, the newest first: the next page may begin behind any post. Absent where an earlier
   * version of the bridge kept the list.
   */
  trails: z.array(trail).optional(),
  /** Where the posts end that this reading has seen, also those that are not kept. Absent as `trails` are. */
  seen: z.number().optional(),
  /** The length of the list, known once its end was read. */
  length: z.number().optional(),
  /** The length in an earlier reading. */
  lastLength: z.number().optional(),
});

export type KeptList = z.infer<typeof keptList>;
export type KeptPage = z.infer<typeof keptPage>;
type Trail = z.infer<typeof trail>;

/** A part of a list. The first post has offset 0. */
export interface Range {
  offset: number;
  count: number;
}

/** The place where a page begins. */
export interface PageMark {
  offset: number;
  cursor: string | undefined;
}

const endOf = ({ offset, posts }: KeptPage) => offset + posts.length;
const endOfTrail = ({ offset, cursors }: Trail) => offset + cursors.length;

/** A new reading without pages. */
export function beginList(now: number, before: KeptList | undefined): KeptList {
  return {
    startedAt: now,
    pages: [],
    marks: [],
    trails: [],
    lastLength: before?.length ?? before?.lastLength,
  };
}

/** The cached list with the length that is known now. Writes change the length without a reading. */
export function withKnownLength(list: KeptList, known: number | undefined): KeptList {
  return { ...list, length: list.length === known ? known : undefined, lastLength: known };
}

/** The cached page that holds the whole range and was read at `notBefore` or later. */
export function pageFor(
  { pages, length }: Pick<KeptList, 'pages' | 'length'>,
  { offset, count }: Range,
  notBefore: number,
): KeptPage | undefined {
  const end = Math.min(offset + count, length ?? Number.POSITIVE_INFINITY);
  return pages.find((page) => page.readAt >= notBefore && page.offset <= offset && endOf(page) >= end);
}

/** Whether the page that was read last holds a range, as far as the list has one. */
export function hasNewest({ pages, length }: KeptList, range: Range): boolean {
  return pageFor({ pages: pages.slice(0, 1), length }, range, 0) !== undefined;
}

/**
 * Whether the list went on behind an answer that was read later than `since` and ends at an offset. The trail of the last
 * answer of a list ends before its last post, where no mark stands.
 */
export function goesOnFreshAt({ marks, trails = [] }: KeptList, offset: number, since: number): boolean {
  const hasMark = marks.some((mark) => mark.offset === offset);
  return hasMark && trails.some((one) => one.readAt > since && endOfTrail(one) === offset);
}

/** The last place that a trail leads to at or before an offset. */
function placeIn({ offset: start, cursors }: Trail, offset: number): PageMark | undefined {
  const index = cursors.slice(0, Math.max(0, offset - start)).findLastIndex((cursor) => cursor !== null);
  return index === -1 ? undefined : { offset: start + index + 1, cursor: cursors[index] ?? undefined };
}

/** The last known place at or before an offset; of several cursors for it, the one that was read last. */
export function markFor({ marks, trails = [] }: KeptList, offset: number): PageMark {
  const start: PageMark = { offset: 0, cursor: undefined };
  const known = [
    ...trails.map((one) => placeIn(one, offset)),
    marks.findLast((mark) => mark.offset <= offset),
  ];
  return known.reduce<PageMark>((last, mark) => (mark && mark.offset > last.offset ? mark : last), start);
}

/** Whether two readings begin with the same posts, compared up to the shorter length. */
function beginsAlike(one: readonly Post[], other: readonly Post[]): boolean {
  const common = Math.min(one.length, other.length);
  return one.slice(0, common).every(({ id }, index) => id === other[index]?.id);
}

/** The list without the cursor that was used for an offset. */
export function withoutMark(list: KeptList, offset: number): KeptList {
  const { cursor: refused } = markFor(list, offset);
  const trails = list.trails?.map((one) => ({
    ...one,
    cursors: one.cursors.map((cursor) => (cursor === refused ? null : cursor)),
  }));
  return { ...list, marks: list.marks.filter(({ cursor }) => cursor !== refused), trails };
}

/** From this offset on, a page cannot be reached without a cursor. */
const FAR = 500;

const isFar = ({ offset }: { offset: number }) => offset >= FAR;

/** Starts a new reading that keeps only the cursors for offsets too far to reach without a cursor. */
export function beginWithFar(now: number, before: KeptList): KeptList {
  return {
    ...beginList(now, before),
    marks: before.marks.filter(isFar),
    trails: before.trails?.filter(isFar),
  };
}

/** Starts a new reading with its first page. The old cursors stay valid while the list begins with the same posts. */
export function restartList(before: KeptList | undefined, posts: readonly Post[], now: number): KeptList {
  if (!before) return beginList(now, before);
  const first = before.pages.find(({ offset }) => offset === 0);
  const isUnchanged = first && beginsAlike(first.posts, posts);
  if (!isUnchanged) return beginWithFar(now, before);
  return { ...beginList(now, before), marks: before.marks, trails: before.trails };
}

function lengthWith(list: KeptList, end: number, isEnd: boolean): number | undefined {
  if (isEnd) return end;
  return list.length !== undefined && list.length > end ? list.length : undefined;
}

/** How many of the first posts fit into the text that is kept. */
function fittingIn(posts: readonly Post[]): number {
  let room = MOST_TEXT;
  const index = posts.findIndex((one) => (room -= JSON.stringify(one).length) < 0);
  return index === -1 ? posts.length : index;
}

/**
 * A page with the first posts that fit. Where a range that the page reaches does not fit, the page is only that range. Of a
 * page that ends before the range the last posts stay: they show where the list ended, so that a page behind its end costs
 * nothing while that is fresh.
 */
function fitted(page: KeptPage, { offset, count }: Range): KeptPage {
  const { posts } = page;
  const start = offset - page.offset;
  if (start >= posts.length) {
    const cut = posts.length - fittingIn(posts.toReversed());
    return { ...page, offset: page.offset + cut, posts: posts.slice(cut) };
  }
  const fits = fittingIn(posts);
  const end = Math.min(start + count, posts.length);
  if (end <= fits) return { ...page, posts: posts.slice(0, fits) };
  return { ...page, offset, posts: posts.slice(start, end) };
}

/** The newest page, which was fitted, and the other pages that fit. */
function fitting(newest: KeptPage, others: readonly KeptPage[]): KeptPage[] {
  const { posts } = newest;
  let room = MOST_POSTS - posts.length;
  let textRoom = MOST_TEXT - JSON.stringify(posts).length;
  const kept = others.filter((page) => {
    room -= page.posts.length;
    textRoom -= JSON.stringify(page.posts).length;
    return room >= 0 && textRoom >= 0;
  });
  return [newest, ...kept];
}

/** Where the posts end that were read. */
const seenIn = ({ seen, pages }: KeptList) => seen ?? Math.max(0, ...pages.map(endOf));

/** A page that was just read. */
interface ReadPage extends PostsPage {
  /** What the caller asked for: kept, however long it is. */
  range: Range;
  readAt: number;
}

/** The list with one more page, beginning at `mark`. */
export function withPage(list: KeptList, { offset }: PageMark, page: ReadPage): KeptList {
  const { posts, cursors, next, range, readAt } = page;
  const end = offset + posts.length;
  // An earlier cursor that leads behind the end of the list leads nowhere; so does the one behind its last post.
  const mayLead = (place: number) => next !== undefined || place < end;
  const marks = list.marks.filter((mark) => mark.offset !== end && mayLead(mark.offset));
  if (next !== undefined) marks.push({ offset: end, cursor: next });
  const newest = { offset, readAt, cursors: next === undefined ? cursors.slice(0, -1) : cursors };
  const trails = list.trails?.filter((one) => one.offset !== offset && mayLead(endOfTrail(one))) ?? [];
  const kept = fitted({ offset, posts, readAt }, range);
  const others = list.pages.filter((one) => one.offset !== kept.offset);
  const { lastLength } = list;
  return {
    ...list,
    pages: fitting(kept, others),
    marks: marks.toSorted((a, b) => a.offset - b.offset).slice(-MOST_MARKS),
    trails: [newest, ...trails].slice(0, MOST_TRAILS),
    seen: next === undefined ? end : Math.max(seenIn(list), end),
    length: lengthWith(list, end, next === undefined),
    // An earlier length that this page reaches is wrong by now.
    lastLength: lastLength !== undefined && lastLength > end ? lastLength : undefined,
  };
}

/**
 * The length of the list. If the end was not read: the earlier length, but at least one more than was read. Old clients
 * page on while they have seen fewer posts than the total.
 */
export function listTotal(list: KeptList): number {
  return list.length ?? Math.max(list.lastLength ?? 0, seenIn(list) + 1);
}

/**
 * The number of meant posts, if these come first. Exact where a kept page reaches their end, else the length of the list,
 * or one more than was read.
 */
export function totalOfMeant(
  list: KeptList,
  isMeant: (post: Post) => boolean,
  { offset, count }: Range,
): number {
  const { pages, length } = list;
  const ends = pages.filter((page) => endOf(page) === length || !page.posts.every(isMeant));
  const [last] = ends.toSorted((a, b) => a.offset - b.offset);
  if (last) return last.offset + last.posts.filter(isMeant).length;
  return count === 0 ? Math.min(offset, length ?? offset) : (length ?? seenIn(list) + 1);
}
