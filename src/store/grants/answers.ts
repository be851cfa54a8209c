import { sql, type SqlBool } from 'kysely';
import { deletePiece, FIRST_PIECE, type Piece, type PieceResult } from '../driver/pieces.ts';
import type { Store } from '../driver/store.ts';

/** The last answer of the new API for a grant, as JSON text, and the time of the answer. */
export interface StoredAnswer {
  body: string;
  organization_ids: string;
  fetched_at: number;
}

const OF_GRANT = 'select body, organization_ids, fetched_at from answers where grant_id = $1';

/** The last answer for a grant. */
export async function findAnswer(store: Store, grantId: string): Promise<StoredAnswer | undefined> {
  return (await store.volatileRows<StoredAnswer>(OF_GRANT, [grantId]))[0];
}

const KEEP =
  'insert into answers (grant_id, body, organization_ids, fetched_at) values ($1, $2, $3, $4) on conflict (grant_id) do update set body = excluded.body, organization_ids = excluded.organization_ids, fetched_at = excluded.fetched_at';

/** Keeps an answer, replacing the earlier answer. */
export async function storeAnswer(store: Store, grantId: string, answer: StoredAnswer): Promise<void> {
  const { body, organization_ids, fetched_at } = answer;
  await store.volatileWrite(KEEP, [grantId, body, organization_ids, fetched_at]);
}

/** Forgets a grant's answer, also one whose keeping waits for its turn. */
export async function dropAnswer(store: Store, grantId: string): Promise<void> {
  await store.volatileWrite('delete from answers where grant_id = $1', [grantId]);
}

/** The first piece of the answers, in the order of their grants. */
export const FIRST_ANSWERS: Piece = { ...FIRST_PIECE, after: '' };

/** Forgets a piece of the answers older than the given time. */
export function dropAnswersBefore(store: Store, time: number, piece = FIRST_ANSWERS): Promise<PieceResult> {
  const rows = { table: 'answers', key: 'grant_id', by: 'grant_id' };
  return deletePiece(store.volatile, { ...rows, which: sql<SqlBool>`fetched_at < ${time}` }, piece);
}
