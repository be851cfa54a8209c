import { releaseLease, takeLease } from '../../store/work/leases.ts';
import type { WorkDeps } from './deps.ts';

/**
 * Runs `work` unless another process holds the lease with this name; returns whether `work` ran. The lease only saves
 * work. If the table of leases fails, `work` runs anyway.
 */
export async function withLease(
  context: WorkDeps,
  { name, limit }: { name: string; limit: number },
  work: () => Promise<void>,
): Promise<boolean> {
  const now = context.clock.now();
  const lease = { name, holder: context.processId };
  const { leases } = context.troubles;
  const taken = await takeLease(context.store, lease, { now, until: now + limit }).then(
    (isOurs) => {
      leases.done(name);
      return isOurs;
    },
    (error: unknown) => {
      leases.note(name, error);
      return true;
    },
  );
  if (!taken) return false;
  try {
    await work();
    return true;
  } finally {
    // A lease that cannot be released expires.
    await releaseLease(context.store, lease).catch(() => undefined);
  }
}
