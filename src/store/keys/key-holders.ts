import { SECOND } from '../../shared/lifetimes.ts';
import type { Purpose } from '../../shared/secrets.ts';
import type { Database, Store } from '../driver/store.ts';

/**
 * What each running process says of its keys, for the operator who changes them: a key is activated only when all hold
 * it and dropped only when none writes with it. A process that was paused for longer is caught otherwise
 * (under-all-keys.ts).
 */
export interface Holding {
  /** Per purpose the ids that it can read with, and the one that it writes with. */
  rings: Record<Purpose, { ids: string[]; active: string }>;
  /** Ids of sealing keys under which pairs wait in its machine's spill. */
  spilled: string[];
}

export interface Holder extends Holding {
  processId: string;
  machine: string;
}

/** A process that has not reported for so long, by the database's clock, is taken for dead. */
export const HOLDER_LIVES = 10 * SECOND;

/** Says what a process holds; its earlier word is replaced. */
export async function reportHolding(
  store: Store,
  { processId, machine, rings, spilled }: Holder,
): Promise<void> {
  const row = { machine, held: JSON.stringify({ rings, spilled }), seen_at: await store.now() };
  await store.aside
    .insertInto('key_holders')
    .values({ process_id: processId, ...row })
    .onConflict((conflict) => conflict.column('process_id').doUpdateSet(row))
    .execute();
}

/** The processes that reported lately. */
export async function listHolders(db: Database, now: number): Promise<Holder[]> {
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
    ...(JSON.parse(held) as Holding),
  }));
}

/** The process has ended, or ended long ago. */
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
