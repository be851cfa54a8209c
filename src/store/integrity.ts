import { sql } from 'kysely';
import type { Store } from './store.ts';

/** What SQLite finds wrong with the durable file; undefined when it is whole. */
export async function findIntegrityProblem(store: Store): Promise<string | undefined> {
  const { rows } = await sql<{ integrity_check: string }>`pragma integrity_check(1)`.execute(store.durable);
  const finding = rows[0]?.integrity_check;
  return finding === 'ok' ? undefined : `the database is damaged: ${finding ?? 'no answer'}`;
}
