import { sql, type SqlBool } from 'kysely';
import type { Database } from '../driver/store.ts';
import { deletePiece, FIRST_PIECE, type PieceResult } from '../driver/pieces.ts';

/** The answers to writes with an Idempotency-Key. */

/** A write that was asked before with the same key. */
export interface KeptApiAnswer {
  request_digest: string;
  status: number | null;
  answer: string | null;
}

interface NewRequest {
  id: string;
  keyId: string;
  requestKey: string;
  digest: string;
  now: number;
}

/** Claims an Idempotency-Key of a program, once. */
export async function claimRequestKey(
  db: Database,
  { id, keyId, requestKey, digest, now }: NewRequest,
): Promise<boolean> {
  const result = await db
    .insertInto('api_answers')
    .values({ id, key_id: keyId, request_key: requestKey, request_digest: digest, asked_at: now })
    .onConflict((conflict) => conflict.columns(['key_id', 'request_key']).doNothing())
    .executeTakeFirst();
  return result.numInsertedOrUpdatedRows === 1n;
}

/** What is kept of an Idempotency-Key. */
export async function readKeptAnswer(
  db: Database,
  { keyId, requestKey }: Pick<NewRequest, 'keyId' | 'requestKey'>,
): Promise<KeptApiAnswer | undefined> {
  return db
    .selectFrom('api_answers')
    .select(['request_digest', 'status', 'answer'])
    .where('key_id', '=', keyId)
    .where('request_key', '=', requestKey)
    .executeTakeFirst();
}

/** Keeps the answer of a claimed request. */
export async function keepAnswerRow(
  db: Database,
  id: string,
  { status, answer }: { status: number; answer: string },
): Promise<void> {
  await db.updateTable('api_answers').set({ status, answer }).where('id', '=', id).execute();
}

/** Gives a claim back: nothing was done. */
export async function releaseRequestKey(db: Database, id: string): Promise<void> {
  await db.deleteFrom('api_answers').where('id', '=', id).where('status', 'is', null).execute();
}

/** Removes a piece of the answers from before a time. */
export function deleteAnswersAskedBefore(
  db: Database,
  time: number,
  piece = FIRST_PIECE,
): Promise<PieceResult> {
  const rows = { table: 'api_answers', key: 'id', by: 'asked_at' };
  return deletePiece(db, { ...rows, which: sql<SqlBool>`asked_at < ${time}` }, piece);
}
