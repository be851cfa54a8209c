import { releaseLease, takeLease } from '../../store/work/leases.ts';
import type { Context } from '../context.ts';

/**
 * Runs `work` unless another process holds the lease of that name; answers whether it ran. It only saves work: where
 * the table of leases fails the work is done all the same.
 */
export async function withLease(
  context: Context,
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
    // One that cannot be given back ends by itself.
    await releaseLease(context.store, lease).catch(() => undefined);
  }
}
