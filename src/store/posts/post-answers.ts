import { sql, type SqlBool } from 'kysely';
import { deletePiece, FIRST_PIECE, type Piece, type PieceResult } from '../driver/pieces.ts';
import type { Store } from '../driver/store.ts';

/** The last answers of the new API about posts, as JSON text, each keyed by its grant and subject. */

/** The most answers kept for one grant, because an app may ask for any number of channels, posts and times. */
const MOST_ANSWERS = 100;

/** The most lists since a time beside them. Each call may name another time, and they must not push out what is asked for again. */
const MOST_SINCE = 20;

const SINCE = '% since %';

export interface PostAnswerName {
  grantId: string;
  /** The subject, such as `sent` and a channel, or `post` and an id. */
  what: string;
}

export interface StoredPostAnswer {
  body: string;
  /** The number of posts in a list when its end was last read; null when the end was never read. */
  length: number | null;
  fetched_at: number;
}

/** The subject of the row that says when posts were last changed with a grant. */
export const WHEN_CHANGED = 'changed';

/** The id of an answer. */
export const idOfAnswer = ({ grantId, what }: PostAnswerName) => `${grantId} ${what}`;

const OF_TWO = 'select id, body, length, fetched_at from post_answers where id in ($1, $2)';

/** The last answers of a grant about two subjects; undefined without an answer. */
export async function findTwoAnswers(
  store: Store,
  grantId: string,
  whats: readonly [string, string],
): Promise<Array<StoredPostAnswer | undefined>> {
  const ids = whats.map((what) => idOfAnswer({ grantId, what }));
  const rows = await store.volatileRows<StoredPostAnswer & { id: string }>(OF_TWO, ids);
  return ids.map((id) => rows.find((row) => row.id === id));
}

const LENGTHS_OF_GRANT =
  "select id, length from post_answers where grant_id = $1 and length is not null and id not like '% since %'";

/** The known lengths of a grant's whole lists, by subject; what came since a time is no whole list. */
export async function findListLengths(store: Store, grantId: string): Promise<Map<string, number>> {
  const rows = await store.volatileRows<{ id: string; length: number }>(LENGTHS_OF_GRANT, [grantId]);
  const start = idOfAnswer({ grantId, what: '' }).length;
  return new Map(rows.map(({ id, length }) => [id.slice(start), length]));
}

/** The same, of lines `ID LENGTH`. */
export function lengthsIn(lines: string, grantId: string): Map<string, number> {
  const start = idOfAnswer({ grantId, what: '' }).length;
  const entries = lines.split('\n').map((line) => {
    const end = line.lastIndexOf(' ');
    return [line.slice(start, end), Number(line.slice(end + 1))] as const;
  });
  return new Map(entries);
}

/**
 * Changes the known length of a list by the posts that came or went with a write that began at this time. A list that was
 * read later may show the write already, so its length is forgotten.
 */
export async function changeLength(
  store: Store,
  name: PostAnswerName,
  { by, writtenAt }: { by: 1 | -1; writtenAt: number },
): Promise<void> {
  await store.volatile
    .updateTable('post_answers')
    .set((eb) => ({
      length: eb
        .case()
        .when('fetched_at', '<=', writtenAt)
        .then(eb('length', '+', by))
        .end(),
    }))
    .where('id', '=', idOfAnswer(name))
    .where('length', 'is not', null)
    .execute();
}

const WITH_POST = 'select id, fetched_at from post_answers where grant_id = $1 and (body like $2 or id = $3)';

/** Where a post stands among the kept answers of a grant. */
export interface SeenPost {
  /** By subject, with the time at which each was read. */
  lists: Array<{ what: string; fetched_at: number }>;
  /** When posts were last changed with the grant; 0 where nobody has. */
  changedAt: number;
}

/** The kept answers that show a post. */
export async function listsWithPost(store: Store, grantId: string, postId: string): Promise<SeenPost> {
  const changed = idOfAnswer({ grantId, what: WHEN_CHANGED });
  const asked = [grantId, `%"id":"${postId}"%`, changed];
  const rows = await store.volatileRows<{ id: string; fetched_at: number }>(WITH_POST, asked);
  const start = idOfAnswer({ grantId, what: '' }).length;
  return {
    lists: rows.map(({ id, fetched_at }) => ({ what: id.slice(start), fetched_at })),
    changedAt: rows.find(({ id }) => id === changed)?.fetched_at ?? 0,
  };
}

/** Forgets the lengths of these lists; without names, of all lists of the grant. */
export async function forgetLengths(
  store: Store,
  grantId: string,
  whats: readonly string[] | undefined,
): Promise<void> {
  const lists = store.volatile.updateTable('post_answers').set({ length: null });
  const ids = whats?.map((what) => idOfAnswer({ grantId, what }));
  await (ids ? lists.where('id', 'in', ids) : lists.where('grant_id', '=', grantId)).execute();
}

/** Drops the oldest answers of the same kind as a new one. */
async function dropOldest({ volatile }: Store, { grantId, what }: PostAnswerName): Promise<void> {
  const isSince = what.includes(' since ');
  const like = isSince ? 'like' : 'not like';
  await volatile
    .deleteFrom('post_answers')
    .where('grant_id', '=', grantId)
    .where('id', like, SINCE)
    .where('id', 'not in', (query) =>
      query
        .selectFrom('post_answers')
        .select('id')
        .where('grant_id', '=', grantId)
        .where('id', like, SINCE)
        .orderBy('fetched_at', 'desc')
        .orderBy('id')
        .limit(isSince ? MOST_SINCE : MOST_ANSWERS),
    )
    .execute();
}

/** Keeps an answer, replacing the earlier one. Keeps a limited number of answers per grant. */
export async function storePostAnswer(
  store: Store,
  name: PostAnswerName,
  answer: StoredPostAnswer,
): Promise<void> {
  await store.volatile
    .insertInto('post_answers')
    .values({ id: idOfAnswer(name), grant_id: name.grantId, ...answer })
    .onConflict((conflict) => conflict.column('id').doUpdateSet(answer))
    .execute();
  await dropOldest(store, name);
}

/** Forgets all answers about a grant's posts. */
export async function dropPostAnswers(store: Store, grantId: string): Promise<void> {
  await store.volatile.deleteFrom('post_answers').where('grant_id', '=', grantId).execute();
}

/** The first piece of the answers, in the order of their ids. */
export const FIRST_POST_ANSWERS: Piece = { ...FIRST_PIECE, after: '' };

/** Forgets a piece of the answers older than the given time. */
export function dropPostAnswersBefore(
  store: Store,
  time: number,
  piece = FIRST_POST_ANSWERS,
): Promise<PieceResult> {
  const rows = { table: 'post_answers', key: 'id', by: 'id' };
  return deletePiece(store.volatile, { ...rows, which: sql<SqlBool>`fetched_at < ${time}` }, piece);
}
