import { CLOCKS_DIFFER } from '../../shared/lifetimes.ts';
import { builtOnce } from '../driver/built-once.ts';
import type { Store } from '../driver/store.ts';

/**
 * A row that one process holds until a time, so that other processes skip the same work. A lease saves work and never
 * gives safety: a holder may be paused beyond its time, and the table may lose its last commits.
 */
export interface Lease {
  name: string;
  holder: string;
}

interface LeaseTerm extends Lease {
  now: number;
  until: number;
  /** No process takes a lease until a later time, so a later time was dated by a wrong clock. */
  latest: number;
}

const taking = builtOnce((db: Store['volatile'], { name, holder, now, until, latest }: LeaseTerm) =>
  db
    .insertInto('leases')
    .values({ name, holder, until })
    .onConflict((conflict) =>
      conflict
        .column('name')
        .doUpdateSet({ holder, until })
        .where((eb) =>
          eb.or([
            eb('leases.until', '<=', now),
            eb('leases.until', '>', latest),
            eb('leases.holder', '=', holder),
          ]),
        ),
    )
    .returning('name')
    .compile(),
);

/** Takes or renews a lease; false while another process holds it. */
export async function takeLease(
  store: Store,
  lease: Lease,
  { now, until }: { now: number; until: number },
): Promise<boolean> {
  const term = { now, until, latest: until + CLOCKS_DIFFER, ...lease };
  const { rows } = await taking(store.volatile, term);
  return rows.length > 0;
}

const releasing = builtOnce((db: Store['volatile'], { name, holder }: Lease) =>
  db.deleteFrom('leases').where('name', '=', name).where('holder', '=', holder).compile(),
);

/** Gives a lease back, if it is still held. */
export async function releaseLease(store: Store, { name, holder }: Lease): Promise<void> {
  await releasing(store.volatile, { name, holder });
}

/** Who holds a lease until when, or held it and did not give it back. */
export interface LeaseRow {
  holder: string;
  until: number;
}

/** The lease of this name; undefined where it was given back. */
export function findLease(store: Store, name: string): Promise<LeaseRow | undefined> {
  const row = store.volatile.selectFrom('leases').select(['holder', 'until']).where('name', '=', name);
  return row.executeTakeFirst();
}

/** Gives back all leases of a process that ends, so that the next one does not wait for their time. */
export async function releaseLeasesOf(store: Store, holder: string): Promise<void> {
  await store.volatile.deleteFrom('leases').where('holder', '=', holder).execute();
}

/** Removes leases that ended before the given time, because their holders died. */
export async function deleteLeasesBefore(store: Store, time: number): Promise<void> {
  await store.volatile.deleteFrom('leases').where('until', '<', time).execute();
}
