import { MINUTE } from '../../../shared/lifetimes.ts';
import { listIdle } from '../../../store/grants/grants.ts';
import type { Grant } from '../../../store/tables/tables.ts';
import { Unavailable } from '../../../upstream/outcomes.ts';
import { GrantDead, advance } from './access-token.ts';
import type { GrantsDeps } from '../deps.ts';
import { isCalmTurn } from './stop/breaker-rules.ts';
import { findTurn } from './stop/doubt-breaker.ts';
import { postponeGrant } from './postpone.ts';

/** The last part of the keep-alive time. Grants that fall due at once are spread over this part. */
const SPREAD = 0.2;

async function refreshIdle(context: GrantsDeps, grant: Grant): Promise<void> {
  await context.flights
    .run(grant.id, () => advance(context, grant))
    .catch((error: unknown) => {
      if (error instanceof GrantDead) return undefined;
      if (!(error instanceof Unavailable)) return postponeGrant(context, grant, error);
      context.logger.warn('an idle grant could not be refreshed', { grantId: grant.id, error });
      return undefined;
    });
}

/**
 * Refreshes grants that nobody has used for a while, because the new API may let an unused refresh token die. Runs
 * every minute. Each run refreshes the oldest grants, enough for all idle grants to fit into the last fifth of
 * `GRANT_KEEPALIVE_DAYS`, and tries as many again of those that failed before. While answers are being lost, a run
 * refreshes one grant: without callers the fleet has no other way to find out that answers come again. While no
 * connection comes about, it tries none: the breaker lets one attempt through at times.
 */
export async function refreshIdleGrants(context: GrantsDeps): Promise<void> {
  if (context.instance.isCopy()) return;
  const now = context.clock.now();
  const spread = context.settings.keepAlive * SPREAD;
  const limit = Math.ceil((await context.fleet.count()) / (spread / MINUTE)) + 1;
  const before = now - context.settings.keepAlive + spread;
  for (const grant of await listIdle(context.store.durable, { before, now, limit })) {
    if (context.shutdown.signal.aborted || context.sides.connections.refuses()) return;
    const turn = await findTurn(context);
    if (turn.kind === 'stopped' || turn.kind === 'wait') return;
    await refreshIdle(context, grant);
    if (!isCalmTurn(turn)) return;
  }
}
