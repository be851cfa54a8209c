import { listUnsettled } from '../store/grants.ts';
import { listRestored } from '../store/restored.ts';
import type { Grant } from '../store/tables.ts';
import { Unavailable } from '../upstream/outcomes.ts';
import { advance } from './access-token.ts';
import type { Context } from './context.ts';

/** Looked into by one run; what they send waits for free slots. */
const AT_ONCE = 1000;

async function lookInto(context: Context, grant: Grant): Promise<void> {
  await context.flights
    .run(grant.id, () => advance(context, grant))
    .catch((error: unknown) => {
      if (error instanceof Unavailable) return;
      context.logger.error('a grant in doubt could not be looked into', { grantId: grant.id, error });
    });
}

/** A take-over puts all grants in doubt at once; they are looked into in small numbers, for a look may end a grant. */
const RESTORED_AT_ONCE = 10;

/** Takes grants whose last presentation has no outcome one step further, without waiting for a caller (design 4). */
export async function settleDoubts(context: Context): Promise<void> {
  if (context.instance.isCopy()) return;
  const { durable } = context.store;
  const [now, quiet] = [context.clock.now(), context.settings.inDoubtQuiet];
  const grants = await listUnsettled(durable, now, AT_ONCE);
  const restored = await listRestored(durable, { now, quiet, limit: RESTORED_AT_ONCE });
  await Promise.all([...grants, ...restored].map((grant) => lookInto(context, grant)));
}
