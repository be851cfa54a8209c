import { sql, type SqlBool } from 'kysely';
import { deletePiece, FIRST_PIECE, type Piece, type PieceDone } from '../driver/pieces.ts';
import type { Store } from '../driver/store.ts';

/** The new API's last answers about posts, as JSON text, each by its grant and what it is about. */

/** How many answers are kept for one grant: an app may ask for any number of channels, posts and times. */
const MOST_ANSWERS = 100;

export interface PostAnswerName {
  grantId: string;
  /** Such as `sent` and a channel, or `post` and an id. */
  what: string;
}

export interface StoredPostAnswer {
  body: string;
  /** How many posts a list had when its end was last read; null where that was never read. */
  length: number | null;
  fetched_at: number;
}

const idOf = ({ grantId, what }: PostAnswerName) => `${grantId} ${what}`;

/** The last answers of a grant about several things, by what they are about. */
export async function findPostAnswers(
  store: Store,
  grantId: string,
  whats: readonly string[],
): Promise<Map<string, StoredPostAnswer>> {
  const names = new Map(whats.map((what) => [idOf({ grantId, what }), what]));
  const rows = await store.volatile
    .selectFrom('post_answers')
    .select(['id', 'body', 'length', 'fetched_at'])
    .where('id', 'in', [...names.keys()])
    .execute();
  return new Map(rows.map(({ id, ...answer }) => [names.get(id) ?? id, answer]));
}

/** The lengths of a grant's lists that are known, by what the answers are about. */
export async function findListLengths(store: Store, grantId: string): Promise<Map<string, number>> {
  const rows = await store.volatile
    .selectFrom('post_answers')
    .select(['id', 'length'])
    .where('grant_id', '=', grantId)
    .where('length', 'is not', null)
    .execute();
  const start = idOf({ grantId, what: '' }).length;
  return new Map(rows.flatMap(({ id, length }) => (length === null ? [] : [[id.slice(start), length]])));
}

/** One more in a list whose length is known. */
export async function lengthenList(store: Store, name: PostAnswerName): Promise<void> {
  await store.volatile
    .updateTable('post_answers')
    .set((eb) => ({ length: eb('length', '+', 1) }))
    .where('id', '=', idOf(name))
    .where('length', 'is not', null)
    .execute();
}

/** The lengths of these lists are not known any more; without names, those of all lists of the grant. */
export async function forgetLengths(
  store: Store,
  grantId: string,
  whats: readonly string[] | undefined,
): Promise<void> {
  const lists = store.volatile.updateTable('post_answers').set({ length: null });
  const ids = whats?.map((what) => idOf({ grantId, what }));
  await (ids ? lists.where('id', 'in', ids) : lists.where('grant_id', '=', grantId)).execute();
}

async function dropOldest({ volatile }: Store, grantId: string): Promise<void> {
  await volatile
    .deleteFrom('post_answers')
    .where('grant_id', '=', grantId)
    .where('id', 'not in', (query) =>
      query
        .selectFrom('post_answers')
        .select('id')
        .where('grant_id', '=', grantId)
        .orderBy('fetched_at', 'desc')
        .orderBy('id')
        .limit(MOST_ANSWERS),
    )
    .execute();
}

/** Keeps an answer in place of the one before, and a hundred of its grant at most. */
export async function storePostAnswer(
  store: Store,
  name: PostAnswerName,
  answer: StoredPostAnswer,
): Promise<void> {
  await store.volatile
    .insertInto('post_answers')
    .values({ id: idOf(name), grant_id: name.grantId, ...answer })
    .onConflict((conflict) => conflict.column('id').doUpdateSet(answer))
    .execute();
  await dropOldest(store, name.grantId);
}

/** Forgets what is known of a grant's posts. */
export async function dropPostAnswers(store: Store, grantId: string): Promise<void> {
  await store.volatile.deleteFrom('post_answers').where('grant_id', '=', grantId).execute();
}

/** The first piece of the answers, which go in the order of their ids. */
export const FIRST_POST_ANSWERS: Piece = { ...FIRST_PIECE, after: '' };

/** Forgets a piece of the answers older than the given time. */
export function dropPostAnswersBefore(
  store: Store,
  time: number,
  piece = FIRST_POST_ANSWERS,
): Promise<PieceDone> {
  const rows = { table: 'post_answers', key: 'id', by: 'id' };
  return deletePiece(store.volatile, { ...rows, which: sql<SqlBool>`fetched_at < ${time}` }, piece);
}
