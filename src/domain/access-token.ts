import { setTimeout as delay } from 'node:timers/promises';
import { CALLER_WAIT, PRESENTING_LIMIT } from '../shared/lifetimes.ts';
import { countSiblings, findGrant, markInDoubt } from '../store/grants.ts';
import type { Grant } from '../store/tables.ts';
import { Unavailable } from '../upstream/outcomes.ts';
import { buryGrant } from './bury-grant.ts';
import type { Context } from './context.ts';
import { presentRefreshToken } from './refresh-grant.ts';
import { doubtEndsAt, mayPresentAgain } from './refresh-policy.ts';
import { openAccessToken, openRefreshToken } from './sealed-pair.ts';

/** The grant behind a token has ended; re-authorization is asked for. */
export class GrantDead extends Error {
  override readonly name = 'GrantDead';
}

export interface CurrentAccessToken {
  grantId: string;
  version: number;
  accessToken: string;
}

function waitFor(context: Context, until: number): Unavailable {
  return new Unavailable('the grant cannot be refreshed yet', {
    retryAfter: Math.max(until - context.clock.now(), 1000),
  });
}

/** A claim of a process that died leaves the outcome unknown. */
async function noteAbandonedClaim(context: Context, grant: Grant): Promise<void> {
  const now = context.clock.now();
  const presentedAt = grant.presented_at ?? 0;
  if (now - presentedAt < PRESENTING_LIMIT) return;
  if (await markInDoubt(context.store.durable, grant, { presentedAt, retryAt: now, now })) {
    context.logger.error('refresh in doubt: its process ended', {
      grantId: grant.id,
      version: grant.version,
    });
  }
}

/** Looks into a grant in doubt once its time has come: present once more where that is allowed, else give it up. */
async function resolveDoubt(context: Context, grant: Grant): Promise<void> {
  const endsAt = doubtEndsAt(grant, context.settings.inDoubtQuiet);
  if (endsAt > context.clock.now()) throw waitFor(context, endsAt);
  const isLive = await context.server.isLive(openRefreshToken(context, grant));
  const siblings = await countSiblings(context.store.durable, grant);
  if (mayPresentAgain(isLive, siblings)) return presentRefreshToken(context, grant);
  return buryGrant(context, grant, 'lost');
}

/** One step towards a live access token, by the grant's state; several callers share it. */
async function advance(context: Context, grant: Grant): Promise<void> {
  switch (grant.state) {
    case 'ready':
      if (grant.retry_at > context.clock.now()) throw waitFor(context, grant.retry_at);
      return presentRefreshToken(context, grant);
    case 'presenting':
      await noteAbandonedClaim(context, grant);
      return delay(50);
    case 'in_doubt':
      return resolveDoubt(context, grant);
    case 'dead':
      throw new GrantDead(grant.dead_cause ?? 'unknown');
  }
}

/** Renews ahead of time, in the background; the caller goes on with the token that still lives. */
function renewEarly(context: Context, grant: Grant): void {
  const now = context.clock.now();
  if (grant.state !== 'ready' || grant.refresh_at > now || grant.retry_at > now) return;
  context.flights
    .run(grant.id, () => advance(context, grant))
    .catch((error: unknown) => {
      context.logger.warn('an early refresh failed', { grantId: grant.id, error });
    });
}

async function currentToken(
  context: Context,
  grantId: string,
  patience: AbortSignal,
): Promise<CurrentAccessToken> {
  while (!patience.aborted) {
    const grant = await findGrant(context.store.durable, grantId);
    if (!grant || grant.state === 'dead') throw new GrantDead(grant?.dead_cause ?? 'unknown');
    if (grant.access_expires_at > context.clock.now()) {
      renewEarly(context, grant);
      return { grantId, version: grant.version, accessToken: openAccessToken(context, grant) };
    }
    await context.flights.run(grant.id, () => advance(context, grant));
  }
  throw new Unavailable('the caller has stopped waiting');
}

/**
 * A live access token of a grant, refreshed first if need be. Waits at most ten seconds; the refresh itself goes on.
 * @throws {GrantDead | Unavailable}
 */
export async function accessTokenFor(context: Context, grantId: string): Promise<CurrentAccessToken> {
  const patience = new AbortController();
  const giveUp = delay(CALLER_WAIT, undefined, { signal: patience.signal }).then(() => {
    throw new Unavailable('the refresh takes too long', { retryAfter: 1000 });
  });
  try {
    return await Promise.race([currentToken(context, grantId, patience.signal), giveUp]);
  } finally {
    patience.abort();
    giveUp.catch(() => undefined);
  }
}
