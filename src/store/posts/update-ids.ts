import { sql, type SqlBool } from 'kysely';
import { UPDATE_IDS_SEEN_EVERY } from '../../shared/lifetimes.ts';
import { deletePiece, FIRST_PIECE, type Piece, type PieceResult } from '../driver/pieces.ts';
import type { Database, Store } from '../driver/store.ts';
import type { LearnedUpdate } from '../tables/posts.ts';

/**
 * The ids of updates: the update that the old API showed, the matching post, and the posts that an app got by their new
 * id. A row of one account never describes another account's updates.
 */

export type NewLearnedUpdate = Omit<LearnedUpdate, 'id' | 'post_id'>;

const idOf = (accountId: string, oldId: string) => `${accountId} ${oldId}`;

const byId = (one: { id: string }, other: { id: string }) => (one.id < other.id ? -1 : 1);

/**
 * Keeps updates as the old API last showed them. `seen` holds each update at most once. A row with the same data is
 * written only when its time is days old. Rows are written in one order, so that two processes cannot wait for each
 * other.
 */
export async function keepSeenUpdates(db: Database, seen: readonly NewLearnedUpdate[]): Promise<void> {
  const rows = seen.map((row) => ({ ...row, id: idOf(row.account_id, row.old_id) })).toSorted(byId);
  await db
    .insertInto('learned_updates')
    .values(rows)
    .onConflict((conflict) =>
      conflict
        .column('id')
        .doUpdateSet((eb) => ({
          profile_id: eb.ref('excluded.profile_id'),
          text_digest: eb.ref('excluded.text_digest'),
          due_at: eb.ref('excluded.due_at'),
          seen_at: eb.ref('excluded.seen_at'),
        }))
        .where(sql<SqlBool>`learned_updates.seen_at < excluded.seen_at - ${UPDATE_IDS_SEEN_EVERY}
          or learned_updates.text_digest <> excluded.text_digest
          or learned_updates.due_at <> excluded.due_at
          or learned_updates.profile_id <> excluded.profile_id`),
    )
    .execute();
}

/** The update of an account that the old API showed under this id. */
export async function findLearnedUpdate(
  db: Database,
  accountId: string,
  oldId: string,
): Promise<LearnedUpdate | undefined> {
  return db
    .selectFrom('learned_updates')
    .selectAll()
    .where('id', '=', idOf(accountId, oldId))
    .executeTakeFirst();
}

const LEARNED_OF_ACCOUNT = 'select 1 from learned_updates where account_id = $1 limit 1';

/** Whether the old API has shown any update of an account that is still kept. */
export async function hasLearnedUpdates(store: Store, accountId: string): Promise<boolean> {
  return (await store.first(LEARNED_OF_ACCOUNT, [accountId])) !== undefined;
}

interface AccountPosts {
  accountId: string;
  postIds: readonly string[];
  /** Digests of the posts' texts, under every key. */
  digests: readonly string[];
}

/** The updates of an account that are or may be these posts: found by either id, or by their texts. */
export async function findUpdatesOfPosts(
  db: Database,
  { accountId, postIds, digests }: AccountPosts,
): Promise<LearnedUpdate[]> {
  const rowIds = postIds.map((id) => idOf(accountId, id));
  const all = db.selectFrom('learned_updates').selectAll();
  const ofAccount = all.where('account_id', '=', accountId);
  return all
    .where('id', 'in', rowIds)
    .union(ofAccount.where('post_id', 'in', postIds))
    .union(ofAccount.where('text_digest', 'in', digests))
    .execute();
}

/**
 * Keeps for ever which post an update is, or notes that the known pair is still in use; false when the update is
 * another post.
 */
export async function pairUpdate(
  db: Database,
  { id }: Pick<LearnedUpdate, 'id'>,
  { postId, now }: { postId: string; now: number },
): Promise<boolean> {
  const result = await db
    .updateTable('learned_updates')
    .set({ post_id: postId, seen_at: now })
    .where('id', '=', id)
    .where((eb) => eb.or([eb('post_id', 'is', null), eb('post_id', '=', postId)]))
    .executeTakeFirst();
  return result.numUpdatedRows === 1n;
}

/**
 * The `post_id` of an update whose post is not searched any more. Only the update's own id can still be the id of a
 * post.
 */
export const NO_POST = '';

/** Keeps that these updates of an account are the posts with the same ids, except updates with a known post. */
export async function keepSameIds(
  db: Database,
  accountId: string,
  { oldIds, now }: { oldIds: readonly string[]; now: number },
): Promise<void> {
  const ids = oldIds.map((oldId) => idOf(accountId, oldId));
  await db
    .updateTable('learned_updates')
    .set((eb) => ({ post_id: eb.ref('old_id'), seen_at: now }))
    .where('id', 'in', ids)
    .where('post_id', 'is', null)
    .execute();
}

/** Whether a post of the account has the same id at both APIs. */
export async function hasSameIds(db: Database, accountId: string): Promise<boolean> {
  const row = await db
    .selectFrom('learned_updates')
    .select('id')
    .where('account_id', '=', accountId)
    .where('post_id', 'is not', null)
    .whereRef('post_id', '=', 'old_id')
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

/** An app and the account that it acts for. */
export interface IdRecipient {
  clientId: string;
  accountId: string;
}

const toldIdOf = ({ clientId, accountId }: IdRecipient, postId: string) =>
  `${clientId} ${accountId} ${postId}`;

/** The posts among these that the app got by the id of the new API. */
export async function findToldPosts(
  db: Database,
  app: IdRecipient,
  postIds: readonly string[],
): Promise<Set<string>> {
  const ids = new Map(postIds.map((postId) => [toldIdOf(app, postId), postId]));
  const rows = await db
    .selectFrom('told_posts')
    .select('id')
    .where('id', 'in', [...ids.keys()])
    .execute();
  return new Set(rows.map(({ id }) => ids.get(id) ?? id));
}

/** Keeps that the app gets these posts (at least one) by the id of the new API. */
export async function keepToldPosts(
  db: Database,
  app: IdRecipient,
  { postIds, now }: { postIds: readonly string[]; now: number },
): Promise<void> {
  const rows = postIds.map((postId) => ({ id: toldIdOf(app, postId), told_at: now })).toSorted(byId);
  await db
    .insertInto('told_posts')
    .values(rows)
    .onConflict((conflict) =>
      conflict
        .column('id')
        .doUpdateSet({ told_at: now })
        .where('told_posts.told_at', '<', now - UPDATE_IDS_SEEN_EVERY),
    )
    .execute();
}

/** Removes a piece of the updates that were last shown, and due, before a time. */
export function deleteUpdatesBefore(db: Database, time: number, piece = FIRST_PIECE): Promise<PieceResult> {
  const rows = { table: 'learned_updates', key: 'id', by: 'seen_at' };
  return deletePiece(db, { ...rows, which: sql<SqlBool>`seen_at < ${time} and due_at < ${time}` }, piece);
}

/** Removes a piece of the records of posts that apps got before a time. */
export function deleteToldPostsBefore(db: Database, time: number, piece: Piece): Promise<PieceResult> {
  const rows = { table: 'told_posts', key: 'id', by: 'told_at' };
  return deletePiece(db, { ...rows, which: sql<SqlBool>`told_at < ${time}` }, piece);
}
