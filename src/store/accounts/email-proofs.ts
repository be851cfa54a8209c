import { type Selectable, sql, type SqlBool } from 'kysely';
import type { ExistingTokenTables } from '../tables/existing-token-tables.ts';
import { deletePiece, FIRST_PIECE, type PieceResult } from '../driver/pieces.ts';
import type { Database } from '../driver/store.ts';

/** Mailed links that prove that an e-mail address belongs to an account. */

export type EmailProof = Selectable<ExistingTokenTables['email_proofs']>;

/** How many links were made for an account since a time. */
export async function countProofsSince(tx: Database, accountId: string, since: number): Promise<number> {
  const row = await tx
    .selectFrom('email_proofs')
    .select((eb) => eb.fn.countAll<number>().as('n'))
    .where('account_id', '=', accountId)
    .where('created_at', '>', since)
    .executeTakeFirstOrThrow();
  return row.n;
}

/** Keeps a new link. */
export async function insertProof(tx: Database, proof: Omit<EmailProof, 'used_at'>): Promise<void> {
  await tx.insertInto('email_proofs').values(proof).execute();
}

/** Keeps the newest unused links of reminders to a (normalised) address and removes older unused links. */
export async function trimReminderProofs(tx: Database, email: string, keep: number): Promise<void> {
  const newest = tx
    .selectFrom('email_proofs')
    .select('id')
    .where('email', '=', email)
    .where('account_id', 'is', null)
    .where('used_at', 'is', null)
    .orderBy('created_at', 'desc')
    .orderBy('id')
    .limit(keep);
  await tx
    .deleteFrom('email_proofs')
    .where('email', '=', email)
    .where('account_id', 'is', null)
    .where('used_at', 'is', null)
    .where('id', 'not in', newest)
    .execute();
}

/** Uses up all remaining links of reminders to a (normalised) address. */
export async function voidReminderProofs(tx: Database, email: string, now: number): Promise<void> {
  await tx
    .updateTable('email_proofs')
    .set({ used_at: now })
    .where('email', '=', email)
    .where('account_id', 'is', null)
    .where('used_at', 'is', null)
    .execute();
}

/** Finds a link by its value, under any key. */
export async function findProof(
  db: Database,
  tokenDigests: readonly string[],
): Promise<EmailProof | undefined> {
  return db
    .selectFrom('email_proofs')
    .selectAll()
    .where('token_digest', 'in', tokenDigests)
    .executeTakeFirst();
}

/** Uses a link up, once; false when the link was used before. */
export async function claimProof(tx: Database, id: string, now: number): Promise<boolean> {
  const result = await tx
    .updateTable('email_proofs')
    .set({ used_at: now })
    .where('id', '=', id)
    .where('used_at', 'is', null)
    .executeTakeFirst();
  return result.numUpdatedRows === 1n;
}

/** Removes a link that was never mailed. */
export async function deleteProof(db: Database, id: string): Promise<void> {
  await db.deleteFrom('email_proofs').where('id', '=', id).execute();
}

/** Removes a piece of the links that ended before the given time. */
export function deleteProofsBefore(db: Database, time: number, piece = FIRST_PIECE): Promise<PieceResult> {
  const rows = { table: 'email_proofs', key: 'id', by: 'expires_at' };
  return deletePiece(db, { ...rows, which: sql<SqlBool>`expires_at < ${time}` }, piece);
}
