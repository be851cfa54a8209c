import type { Database } from './store.ts';

/** The proofs that were written at the first start; empty before. */
export async function readProofs(db: Database): Promise<Map<string, string>> {
  const rows = await db.selectFrom('key_proofs').selectAll().execute();
  return new Map(rows.map((row) => [row.purpose, row.proof]));
}

/** Writes both proofs, unless another starter was faster. */
export async function writeProofs(db: Database, proofs: { digest: string; sealing: string }): Promise<void> {
  await db
    .insertInto('key_proofs')
    .values([
      { purpose: 'digest', proof: proofs.digest },
      { purpose: 'sealing', proof: proofs.sealing },
    ])
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}
