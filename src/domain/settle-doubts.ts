import { listUnsettled } from '../store/grants.ts';
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

/** Takes grants whose last presentation has no outcome one step further, without waiting for a caller (design 4). */
export async function settleDoubts(context: Context): Promise<void> {
  const grants = await listUnsettled(context.store.durable, context.clock.now(), AT_ONCE);
  await Promise.all(grants.map((grant) => lookInto(context, grant)));
}
