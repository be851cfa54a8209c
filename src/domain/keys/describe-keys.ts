import { findKeyUsage } from '../../store/keys/key-usage.ts';
import { listKeys } from '../../store/keys/keys.ts';
import type { KeysDeps } from './deps.ts';
import { holders } from './key-steps.ts';

/** Every key, with the values made with it and the machines that hold it. */
export async function describeKeys(context: KeysDeps) {
  const live = await holders(context);
  const now = context.clock.now();
  const keys = await listKeys(context.store.durable);
  return Promise.all(
    keys.map(async ({ purpose, id, state, changed_at: changedAt }) => ({
      purpose,
      id,
      state,
      changedAt,
      usage: await findKeyUsage(context.store.durable, { purpose, id, now, store: context.store }),
      heldBy: live.filter(({ rings }) => rings[purpose].ids.includes(id)).map((one) => one.machine),
      processes: live.length,
    })),
  );
}
