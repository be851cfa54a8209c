import { type Selectable, sql, type SqlBool } from 'kysely';
import type { ExistingTokenTables } from '../tables/existing-token-tables.ts';
import { deletePiece, FIRST_PIECE, type PieceDone } from '../driver/pieces.ts';
import type { Database } from '../driver/store.ts';

/** Links that were mailed to prove that an e-mail address is an account's. */

export type EmailProof = Selectable<ExistingTokenTables['email_proofs']>;

/** How many were made for an account from a time on. */
export async function countProofsSince(tx: Database, accountId: string, since: number): Promise<number> {
  const row = await tx
    .selectFrom('email_proofs')
    .select((eb) => eb.fn.countAll<number>().as('n'))
    .where('account_id', '=', accountId)
    .where('created_at', '>', since)
    .executeTakeFirstOrThrow();
  return row.n;
}

/** Keeps a new one. */
export async function insertProof(tx: Database, proof: Omit<EmailProof, 'used_at'>): Promise<void> {
  await tx.insertInto('email_proofs').values(proof).execute();
}

/** Keeps the newest live ones of reminders to an address (normalised) and removes the others. */
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

/** Uses up all that are left of reminders to an address (normalised). */
export async function voidReminderProofs(tx: Database, email: string, now: number): Promise<void> {
  await tx
    .updateTable('email_proofs')
    .set({ used_at: now })
    .where('email', '=', email)
    .where('account_id', 'is', null)
    .where('used_at', 'is', null)
    .execute();
}

/** One by its link's value, under any key. */
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

/** Uses one up, once; false when it was used before. */
export async function claimProof(tx: Database, id: string, now: number): Promise<boolean> {
  const result = await tx
    .updateTable('email_proofs')
    .set({ used_at: now })
    .where('id', '=', id)
    .where('used_at', 'is', null)
    .executeTakeFirst();
  return result.numUpdatedRows === 1n;
}

/** Takes one back that was never mailed. */
export async function deleteProof(db: Database, id: string): Promise<void> {
  await db.deleteFrom('email_proofs').where('id', '=', id).execute();
}

/** Removes a piece of those that ended before the given time. */
export function deleteProofsBefore(db: Database, time: number, piece = FIRST_PIECE): Promise<PieceDone> {
  const rows = { table: 'email_proofs', key: 'id', by: 'expires_at' };
  return deletePiece(db, { ...rows, which: sql<SqlBool>`expires_at < ${time}` }, piece);
}
