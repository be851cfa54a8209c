import pLimit from 'p-limit';
import { MINUTE } from '../../shared/lifetimes.ts';
import { listUnsettled } from '../../store/grants/grants.ts';
import { goBehind } from '../../store/grants/presentations.ts';
import { listRestored } from '../../store/grants/restored.ts';
import type { Grant } from '../../store/tables/tables.ts';
import { Unavailable } from '../../upstream/outcomes.ts';
import { advance, GrantDead } from './refresh/access-token.ts';
import type { GrantsDeps } from './deps.ts';
import { withLease } from '../work/lease.ts';
import { postponeGrant } from './refresh/postpone.ts';
import { holdUnreadable } from './refresh/store-rotated-pair.ts';

/** How many grants one run looks into, and how many at a time. A stop starts no further look. */
const IN_ONE_RUN = 1000;
const AT_ONCE = 16;

/** `isFull`: the run has as many grants as it looks into, so others may wait behind this one. */
interface Look {
  grant: Grant;
  isFull: boolean;
}

async function afterFailure(context: GrantsDeps, { grant, isFull }: Look, error: unknown): Promise<void> {
  if (error instanceof GrantDead) return undefined;
  if (!(error instanceof Unavailable)) return postponeGrant(context, grant, error);
  if (!isFull) return undefined;
  // Not every such failure writes a rest. If the database is away, the grant keeps its place until the next look.
  return goBehind(context.store.durable, grant, context.clock.now()).catch(() => undefined);
}

async function lookInto(context: GrantsDeps, look: Look): Promise<void> {
  const { grant } = look;
  if (context.shutdown.signal.aborted) return;
  await context.flights
    .run(grant.id, () => advance(context, grant))
    .catch((error: unknown) => afterFailure(context, look, error));
}

/**
 * A take-over puts all grants in doubt at once. All processes together look into this many in a run, because a look may
 * end a grant.
 */
const RESTORED_AT_ONCE = 10;

/**
 * Takes one step for each grant whose last presentation has no outcome, without waiting for a caller
 * (docs/decisions/0005).
 */
export async function resolveDoubts(context: GrantsDeps): Promise<void> {
  if (context.instance.isCopy()) return;
  await holdUnreadable(context);
  const { durable } = context.store;
  const [now, quiet] = [context.clock.now(), context.settings.inDoubtQuiet];
  const grants = await listUnsettled(durable, { now, limit: IN_ONE_RUN });
  const restored = withLease(context, { name: 'restored grants', limit: MINUTE }, async () => {
    const some = await listRestored(durable, { now, quiet, limit: RESTORED_AT_ONCE });
    const isFull = some.length === RESTORED_AT_ONCE;
    await Promise.all(some.map((grant) => lookInto(context, { grant, isFull })));
  });
  const isFull = grants.length === IN_ONE_RUN;
  const unsettled = pLimit(AT_ONCE).map(grants, (grant) => lookInto(context, { grant, isFull }));
  await Promise.all([restored, unsettled]);
}
