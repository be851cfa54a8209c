import { type RawBuilder, sql, type SqlBool } from 'kysely';
import type { SeenInstance } from '../instance/instance.ts';
import { deletePiece, type Piece, type PieceResult } from '../driver/pieces.ts';
import type { Database } from '../driver/store.ts';
import type { NewPostWrite, PostWriteRow, WriteCall } from '../tables/posts.ts';

/**
 * The journal of writes: each request that makes or changes a post, and its outcome. A row is durable before the first
 * byte leaves. Each step is one conditional statement that returns whether it won.
 */

/**
 * Literals in the conditions of partial indexes: SQLite uses such an index only when the literal is in the statement
 * itself.
 */
const words = <Word extends string>(...all: Word[]): Array<RawBuilder<Word>> =>
  all.map((word) => sql.lit(word));

/** The states without an outcome. */
export const OPEN = words('sending', 'in_doubt');

const CREATE = sql.lit<WriteCall>('create');

/** Claims the right to send a write, unless the database is a copy or is older than it was seen. */
export async function beginWrite(
  db: Database,
  write: NewPostWrite,
  { id, epoch }: SeenInstance,
): Promise<boolean> {
  const row = { ...write, state: 'sending' };
  const names = Object.keys(row) as Array<keyof typeof row>;
  const original = db
    .selectFrom('instance')
    .where('id', '=', id)
    .where('state', '=', 'original')
    .where('epoch', '>=', epoch)
    .select(names.map((name) => sql.val(row[name] ?? null).as(name)));
  const result = await db.insertInto('post_writes').columns(names).expression(original).executeTakeFirst();
  return result.numInsertedOrUpdatedRows === 1n;
}

interface Outcome {
  state: 'done' | 'refused';
  /** The post that a `create` made. */
  madePostId?: string | undefined;
  refusal?: string | undefined;
  now: number;
}

/**
 * Puts a create that was matched to this post by equal content back in doubt, because an answer has named the real
 * write. Returns whether the post is free.
 */
async function takeBackPost(tx: Database, postId: string, now: number): Promise<boolean> {
  await tx
    .updateTable('post_writes')
    .set({ state: 'in_doubt', post_id: null, settled_at: null, next_look_at: now })
    .where('post_id', '=', postId)
    .where('call', '=', CREATE)
    .where('state', '=', 'found')
    .execute();
  return (await withoutWriter(tx, [postId])).length > 0;
}

/**
 * Keeps the outcome from an answer, however late; needs a transaction. A refusal does not undo an outcome that was
 * seen: the post exists.
 */
export async function endWrite(tx: Database, id: string, outcome: Outcome): Promise<void> {
  const { state, madePostId, refusal, now } = outcome;
  const isOwn = madePostId !== undefined && (await takeBackPost(tx, madePostId, now));
  await tx
    .updateTable('post_writes')
    .set({ state, refusal: refusal ?? null, settled_at: now, next_look_at: null })
    .$if(isOwn, (update) => update.set({ post_id: madePostId ?? null }))
    .where('id', '=', id)
    .$if(state === 'refused', (update) => update.where('state', 'in', OPEN))
    .execute();
}

/** Records that no answer came. */
export async function doubtWrite(db: Database, id: string, nextLookAt: number): Promise<void> {
  await db
    .updateTable('post_writes')
    .set({ state: 'in_doubt', next_look_at: nextLookAt })
    .where('id', '=', id)
    .where('state', '=', 'sending')
    .execute();
}

/**
 * Writes whose outcome is to be searched now. A write that is still `sending` after so long belongs to a process that
 * died.
 */
export async function listOpenWrites(
  db: Database,
  { now, abandonedBefore, limit }: { now: number; abandonedBefore: number; limit: number },
): Promise<PostWriteRow[]> {
  return (
    db
      .selectFrom('post_writes')
      .selectAll()
      .where('state', 'in', OPEN)
      .where((eb) =>
        eb.or([
          eb.and([eb('state', '=', 'in_doubt'), eb('next_look_at', '<=', now)]),
          eb.and([eb('state', '=', 'sending'), eb('sent_at', '<', abandonedBefore)]),
        ]),
      )
      // An order by the bare column would make SQLite read all writes by their time.
      .orderBy(sql`sent_at + 0`)
      .limit(limit)
      .execute()
  );
}

/** One write. */
export async function findWrite(db: Database, id: string): Promise<PostWriteRow | undefined> {
  return db.selectFrom('post_writes').selectAll().where('id', '=', id).executeTakeFirst();
}

/** Claims the next look at a write; false when another process looks, or the outcome is known. */
export async function claimLook(
  db: Database,
  { id, looks }: Pick<PostWriteRow, 'id' | 'looks'>,
  nextLookAt: number,
): Promise<boolean> {
  const result = await db
    .updateTable('post_writes')
    .set({ state: 'in_doubt', looks: looks + 1, next_look_at: nextLookAt })
    .where('id', '=', id)
    .where('looks', '=', looks)
    .where('state', 'in', OPEN)
    .executeTakeFirst();
  return result.numUpdatedRows === 1n;
}

/** Ends the search for a write that nobody can look for any more. The write stays in doubt. */
export async function stopLooking(db: Database, id: string): Promise<void> {
  await db
    .updateTable('post_writes')
    .set({ state: 'in_doubt', next_look_at: null })
    .where('id', '=', id)
    .where('state', 'in', OPEN)
    .execute();
}

/** The posts among these that no `create` has made. */
export async function withoutWriter(tx: Database, postIds: readonly string[]): Promise<string[]> {
  const taken = await tx
    .selectFrom('post_writes')
    .select('post_id')
    .where('call', '=', CREATE)
    .where('post_id', 'in', postIds)
    .execute();
  const ids = new Set(taken.map(({ post_id: id }) => id));
  return postIds.filter((id) => !ids.has(id));
}

/** How many writes of this content, sent since a time, have no outcome yet. */
export async function countEqualWrites(
  tx: Database,
  digests: readonly string[],
  since: number,
): Promise<number> {
  const row = await tx
    .selectFrom('post_writes')
    .select((eb) => eb.fn.countAll<number>().as('n'))
    .where('content_digest', 'in', digests)
    .where('sent_at', '>=', since)
    .where('state', 'in', OPEN)
    .executeTakeFirstOrThrow();
  return row.n;
}

/** Ends a write in doubt by what was seen; false when the write has an outcome by now. */
export async function settleWrite(
  tx: Database,
  id: string,
  { state, postId, now }: { state: 'found' | 'not_found'; postId?: string; now: number },
): Promise<boolean> {
  const result = await tx
    .updateTable('post_writes')
    .set({ state, settled_at: now, next_look_at: null, ...(postId !== undefined && { post_id: postId }) })
    .where('id', '=', id)
    .where('state', '=', 'in_doubt')
    .executeTakeFirst();
  return result.numUpdatedRows === 1n;
}

/** Some writes of a token, newest first. */
export interface TokenWrites {
  writes: PostWriteRow[];
  /** The number of all writes of the token. */
  total: number;
  /** The channels of posts, for writes without a channel: another write of the token names the channel. */
  channels: ReadonlyMap<string, string>;
}

function newestOf(db: Database, mappingId: string, limit: number) {
  return db
    .selectFrom('post_writes')
    .selectAll()
    .where('mapping_id', '=', mappingId)
    .orderBy('sent_at', 'desc')
    .orderBy('id', 'desc')
    .limit(limit);
}

async function channelsOf(db: Database, mappingId: string, writes: readonly PostWriteRow[]) {
  const postIds = writes.flatMap(({ post_id: id, channel_id: known }) => (id && !known ? [id] : []));
  if (postIds.length === 0) return new Map<string, string>();
  const rows = await db
    .selectFrom('post_writes')
    .select(['post_id', 'channel_id'])
    .where('mapping_id', '=', mappingId)
    .where('post_id', 'in', postIds)
    .where('channel_id', 'is not', null)
    .execute();
  return new Map(rows.flatMap(({ post_id: id, channel_id: at }) => (id && at ? [[id, at] as const] : [])));
}

/** The newest writes of a token, and up to `limit` writes without an outcome, however old. */
export async function listWritesOf(db: Database, mappingId: string, limit: number): Promise<TokenWrites> {
  const [newest, open, counted] = await Promise.all([
    newestOf(db, mappingId, limit).execute(),
    newestOf(db, mappingId, limit).where('state', 'in', OPEN).execute(),
    db
      .selectFrom('post_writes')
      .select((eb) => eb.fn.countAll<number>().as('n'))
      .where('mapping_id', '=', mappingId)
      .executeTakeFirstOrThrow(),
  ]);
  const shown = new Set(newest.map(({ id }) => id));
  // Open writes outside the newest are older than all of the newest.
  const writes = [...newest, ...open.filter(({ id }) => !shown.has(id))];
  return { writes, total: counted.n, channels: await channelsOf(db, mappingId, writes) };
}

/** Removes a piece of the writes older than the given time. */
export function deleteWritesBefore(db: Database, time: number, piece: Piece): Promise<PieceResult> {
  const rows = { table: 'post_writes', key: 'id', by: 'sent_at' };
  return deletePiece(db, { ...rows, which: sql<SqlBool>`sent_at < ${time}` }, piece);
}
