import { MINUTE } from '../shared/lifetimes.ts';
import { listUnsettled } from '../store/grants.ts';
import { listRestored } from '../store/restored.ts';
import type { Grant } from '../store/tables.ts';
import { Unavailable } from '../upstream/outcomes.ts';
import { advance, GrantDead } from './access-token.ts';
import type { Context } from './context.ts';
import { withLease } from './lease.ts';
import { putOff } from './put-off.ts';

/** Looked into by one run; what they send waits for free slots. */
const AT_ONCE = 1000;

async function lookInto(context: Context, grant: Grant): Promise<void> {
  await context.flights
    .run(grant.id, () => advance(context, grant))
    .catch((error: unknown) =>
      error instanceof Unavailable || error instanceof GrantDead ? undefined : putOff(context, grant, error),
    );
}

/** A take-over puts all grants in doubt at once; all processes together look into few, for a look may end a grant. */
const RESTORED_AT_ONCE = 10;

/** Takes grants whose last presentation has no outcome one step further, without waiting for a caller (design 4). */
export async function settleDoubts(context: Context): Promise<void> {
  if (context.instance.isCopy()) return;
  const { durable } = context.store;
  const [now, quiet] = [context.clock.now(), context.settings.inDoubtQuiet];
  const grants = await listUnsettled(durable, now, AT_ONCE);
  const restored = withLease(context, { name: 'restored grants', limit: MINUTE }, async () => {
    const some = await listRestored(durable, { now, quiet, limit: RESTORED_AT_ONCE });
    await Promise.all(some.map((grant) => lookInto(context, grant)));
  });
  await Promise.all([restored, ...grants.map((grant) => lookInto(context, grant))]);
}
