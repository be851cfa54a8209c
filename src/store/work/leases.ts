import { CLOCKS_DIFFER } from '../../shared/lifetimes.ts';
import type { Store } from '../driver/store.ts';

/**
 * A row that one process holds until a time, so that other processes skip the same work. A lease saves work and never
 * gives safety: a holder may be paused beyond its time, and the table may lose its last commits.
 */
export interface Lease {
  name: string;
  holder: string;
}

/** Takes or renews a lease; false while another process holds it. */
export async function takeLease(
  store: Store,
  lease: Lease,
  { now, until }: { now: number; until: number },
): Promise<boolean> {
  const row = await store.volatile
    .insertInto('leases')
    .values({ ...lease, until })
    .onConflict((conflict) =>
      conflict
        .column('name')
        .doUpdateSet({ holder: lease.holder, until })
        .where((eb) =>
          eb.or([
            eb('leases.until', '<=', now),
            // Dated by a wrong clock: no process takes a lease for so long.
            eb('leases.until', '>', until + CLOCKS_DIFFER),
            eb('leases.holder', '=', lease.holder),
          ]),
        ),
    )
    .returning('name')
    .executeTakeFirst();
  return row !== undefined;
}

/** Gives a lease back, if it is still held. */
export async function releaseLease(store: Store, { name, holder }: Lease): Promise<void> {
  await store.volatile.deleteFrom('leases').where('name', '=', name).where('holder', '=', holder).execute();
}

/** Removes leases that ended before the given time, because their holders died. */
export async function deleteLeasesBefore(store: Store, time: number): Promise<void> {
  await store.volatile.deleteFrom('leases').where('until', '<', time).execute();
}
