import { findLease, type LeaseRow, releaseLease, takeLease } from '../../store/work/leases.ts';
import type { WorkDeps } from './deps.ts';

/**
 * Runs `work` unless another process holds the lease with this name; returns whether `work` ran. The lease only saves
 * work. If the table of leases fails, `work` runs anyway. Work of many pieces renews the lease after each: so the limit
 * is short, and a process that dies does not keep others out for long.
 */
export async function withLease(
  context: WorkDeps,
  { name, limit }: { name: string; limit: number },
  work: (renew: () => Promise<void>) => Promise<void>,
): Promise<boolean> {
  const lease = { name, holder: context.processId };
  const { leases } = context.troubles;
  const take = async () => {
    const now = context.clock.now();
    return takeLease(context.store, lease, { now, until: now + limit }).then(
      (isOurs) => {
        leases.done(name);
        return isOurs;
      },
      (error: unknown) => {
        leases.note(name, error);
        return true;
      },
    );
  };
  if (!(await take())) return false;
  try {
    await work(async () => void (await take()));
    return true;
  } finally {
    // A lease that cannot be released expires.
    await releaseLease(context.store, lease).catch(() => undefined);
  }
}

/** The lease with this name; undefined where it was given back. */
export const leaseNamed = ({ store }: Pick<WorkDeps, 'store'>, name: string): Promise<LeaseRow | undefined> =>
  findLease(store, name);
