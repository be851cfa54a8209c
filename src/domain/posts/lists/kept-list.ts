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
 * The most posts and the most characters of JSON that are kept, from the pages that were read last. The newest page is
 * always kept whole.
 */
const MOST_POSTS = 200;
const MOST_TEXT = 256 * 1024;

const MOST_MARKS = 100;

const keptPage = z.object({ offset: z.number(), posts: z.array(post), readAt: z.number() });

export const keptList = z.object({
  startedAt: z.number(),
  /** The newest page first. */
  pages: z.array(keptPage),
  /** `cursor` leads to the page that begins at `offset`. Sorted by offset. */
  marks: z.array(z.object({ offset: z.number(), cursor: z.string() })),
  /** The length of the list, known once its end was read. */
  length: z.number().optional(),
  /** The length in an earlier reading. */
  lastLength: z.number().optional(),
});

export type KeptList = z.infer<typeof keptList>;
export type KeptPage = z.infer<typeof keptPage>;

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

/** A new reading without pages. */
export function beginList(now: number, before: KeptList | undefined): KeptList {
  return { startedAt: now, pages: [], marks: [], lastLength: before?.length ?? before?.lastLength };
}

/** The cached list with the length that is known now. Writes change the length without a reading. */
export function withKnownLength(list: KeptList, known: number | undefined): KeptList {
  return { ...list, length: list.length === known ? known : undefined, lastLength: known };
}

/** The cached page that holds the whole range and was read at `notBefore` or later. */
export function pageFor(
  { pages, length }: KeptList,
  { offset, count }: Range,
  notBefore: number,
): KeptPage | undefined {
  const end = Math.min(offset + count, length ?? Number.POSITIVE_INFINITY);
  return pages.find((page) => page.readAt >= notBefore && page.offset <= offset && endOf(page) >= end);
}

/** The last known page beginning at or before an offset. */
export function markFor({ marks }: KeptList, offset: number): PageMark {
  return marks.findLast((mark) => mark.offset <= offset) ?? { offset: 0, cursor: undefined };
}

/** Whether two readings begin with the same posts, compared up to the shorter length. */
function beginsAlike(one: readonly Post[], other: readonly Post[]): boolean {
  const common = Math.min(one.length, other.length);
  return one.slice(0, common).every(({ id }, index) => id === other[index]?.id);
}

/** The list without the cursor that was used for an offset. */
export function withoutMark(list: KeptList, offset: number): KeptList {
  const refused = markFor(list, offset);
  return { ...list, marks: list.marks.filter((mark) => mark.cursor !== refused.cursor) };
}

/** From this offset on, a page cannot be reached without a cursor. */
const FAR = 500;

/** Starts a new reading that keeps only the cursors for offsets too far to reach without a cursor. */
export function beginWithFar(now: number, before: KeptList): KeptList {
  return { ...beginList(now, before), marks: before.marks.filter(({ offset }) => offset >= FAR) };
}

/** Starts a new reading with its first page. The old cursors stay valid while the list begins with the same posts. */
export function restartList(before: KeptList | undefined, posts: readonly Post[], now: number): KeptList {
  if (!before) return beginList(now, before);
  const first = before.pages.find(({ offset }) => offset === 0);
  const isUnchanged = first && beginsAlike(first.posts, posts);
  return isUnchanged ? { ...beginList(now, before), marks: before.marks } : beginWithFar(now, before);
}

function lengthWith(list: KeptList, end: number, isEnd: boolean): number | undefined {
  if (isEnd) return end;
  return list.length !== undefined && list.length > end ? list.length : undefined;
}

/** The newest page, and the other pages that fit. */
function fitting(newest: KeptPage, others: readonly KeptPage[]): KeptPage[] {
  let room = MOST_POSTS - newest.posts.length;
  let textRoom = MOST_TEXT - JSON.stringify(newest.posts).length;
  const kept = others.filter(({ posts }) => {
    room -= posts.length;
    textRoom -= JSON.stringify(posts).length;
    return room >= 0 && textRoom >= 0;
  });
  return [newest, ...kept];
}

/** The list with one more page, beginning at `mark`. */
export function withPage(list: KeptList, mark: PageMark, page: PostsPage & { readAt: number }): KeptList {
  const { posts, next, readAt } = page;
  const end = mark.offset + posts.length;
  const others = list.pages.filter(({ offset }) => offset !== mark.offset);
  const marks = list.marks.filter(({ offset }) => offset !== end);
  if (next !== undefined) marks.push({ offset: end, cursor: next });
  return {
    ...list,
    pages: fitting({ offset: mark.offset, posts, readAt }, others),
    marks: marks.toSorted((a, b) => a.offset - b.offset).slice(-MOST_MARKS),
    length: lengthWith(list, end, next === undefined),
  };
}

/**
 * The length of the list. If the end was not read: the earlier length, but at least one more than was seen. Old clients
 * page on while they have seen fewer posts than the total.
 */
export function listTotal({ length, lastLength }: KeptList, seen: number): number {
  return length ?? Math.max(lastLength ?? 0, seen + 1);
}

/**
 * The number of meant posts, if these come first. Exact where a page reaches their end, else one more than was seen.
 */
export function totalOfMeant(
  { pages, length }: KeptList,
  isMeant: (post: Post) => boolean,
  { offset, count }: Range,
): number {
  const ends = pages.filter((page) => endOf(page) === length || !page.posts.every(isMeant));
  const [last] = ends.toSorted((a, b) => a.offset - b.offset);
  if (last) return last.offset + last.posts.filter(isMeant).length;
  return count === 0 ? Math.min(offset, length ?? offset) : offset + count + 1;
}
