import { SECOND } from '../../shared/lifetimes.ts';
import type { KeyPurpose } from '../../shared/secrets.ts';
import type { Database, Store } from '../driver/store.ts';

/**
 * What each running process reports of its keys, for the operator who changes the keys: a key is activated only when
 * all processes hold the key, and dropped only when no process writes with the key. Another check covers a process that
 * was paused for longer (retry-after-key-rotation.ts).
 */
export interface HeldKey {
  /** Per purpose the ids of the keys for reading, and the key for writing. */
  rings: Record<KeyPurpose, { ids: string[]; active: string }>;
  /** Ids of sealing keys of pairs that wait in the spill of the process's machine; `?` for a pair that cannot be read. */
  spilled: string[];
}

export interface KeyHolder extends HeldKey {
  processId: string;
  machine: string;
}

/** A process without a report for this long, by the database's clock, counts as dead. */
export const HOLDER_LIVES = 10 * SECOND;

/** Reports the keys of a process, replacing the earlier report. */
export async function reportHolding(
  store: Store,
  { processId, machine, rings, spilled }: KeyHolder,
): Promise<void> {
  const row = { machine, held: JSON.stringify({ rings, spilled }), seen_at: await store.now() };
  await store.aside
    .insertInto('key_holders')
    .values({ process_id: processId, ...row })
    .onConflict((conflict) => conflict.column('process_id').doUpdateSet(row))
    .execute();
}

/** The processes with a recent report. */
export async function listHolders(db: Database, now: number): Promise<KeyHolder[]> {
  const rows = await db
    .selectFrom('key_holders')
    .selectAll()
    .where('seen_at', '>', now - HOLDER_LIVES)
    .orderBy('machine')
    .orderBy('process_id')
    .execute();
  return rows.map(({ process_id, machine, held }) => ({
    processId: process_id,
    machine,
    ...(JSON.parse(held) as HeldKey),
  }));
}

/** Removes the report of a process that has ended, or reports older than a time. */
export async function forgetHolders(
  db: Database,
  which: { processId: string } | { seenBefore: number },
): Promise<void> {
  const query = db.deleteFrom('key_holders');
  await ('processId' in which
    ? query.where('process_id', '=', which.processId)
    : query.where('seen_at', '<', which.seenBefore)
  ).execute();
}
