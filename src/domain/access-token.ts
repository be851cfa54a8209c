import { setTimeout as delay } from 'node:timers/promises';
import { CALLER_WAIT, PRESENTING_LIMIT } from '../shared/lifetimes.ts';
import {
  countSiblings,
  findGrant,
  markInDoubt,
  postponeRefresh,
  redatePresentation,
} from '../store/grants.ts';
import type { Grant } from '../store/tables.ts';
import { Unavailable } from '../upstream/outcomes.ts';
import { buryGrant } from './bury-grant.ts';
import type { Context } from './context.ts';
import { presentRefreshToken } from './refresh-grant.ts';
import { backOff, doubtEndsAt, mayPresentAgain, restsUntil } from './refresh-policy.ts';
import { openAccessToken, openRefreshToken } from './sealed-pair.ts';

/** The grant behind a token has ended; re-authorization is asked for. */
export class GrantDead extends Error {
  override readonly name = 'GrantDead';
}

export interface CurrentAccessToken {
  grantId: string;
  version: number;
  accessToken: string;
  /** How often in a row a fresh access token of this grant was refused, and until when it rests for that. */
  suspectCount: number;
  suspectUntil: number;
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
  if (Math.abs(now - presentedAt) < PRESENTING_LIMIT) return;
  if (await markInDoubt(context.store.durable, grant, { presentedAt, retryAt: now, now })) {
    context.logger.error('refresh in doubt: its process ended', {
      grantId: grant.id,
      version: grant.version,
    });
  }
}

/** Asks the server about a token in doubt; while it does not say, the question rests with back-off. */
async function askIsLive(context: Context, grant: Grant): Promise<boolean | undefined> {
  try {
    return await context.server.isLive(openRefreshToken(context, grant));
  } catch (error) {
    const retryAt = context.clock.now() + backOff(grant.attempts, context.chance());
    await postponeRefresh(context.store.durable, grant, retryAt);
    throw error;
  }
}

/** Looks into a grant in doubt once its time has come: present once more where that is allowed, else give it up. */
async function resolveDoubt(context: Context, grant: Grant): Promise<void> {
  const now = context.clock.now();
  if (context.breaker.stoppedUntil() > 0) throw waitFor(context, context.breaker.stoppedUntil());
  if (grant.presented_at !== null && grant.presented_at > now) {
    return redatePresentation(context.store.durable, grant, { seen: grant.presented_at, now });
  }
  const endsAt = doubtEndsAt(grant, context.settings.inDoubtQuiet, now);
  if (endsAt > now) throw waitFor(context, endsAt);
  const isLive = await askIsLive(context, grant);
  const siblings = await countSiblings(context.store.durable, grant);
  if (mayPresentAgain(isLive, siblings)) return presentRefreshToken(context, grant);
  return buryGrant(context, grant, 'lost');
}

/** One step for a grant that is `ready`, unless it has to rest. */
async function refreshReady(context: Context, grant: Grant): Promise<void> {
  const until = restsUntil(grant, context.clock.now());
  if (until > 0) throw waitFor(context, until);
  return presentRefreshToken(context, grant);
}

/** One step towards a live access token, by the grant's state; several callers share it. */
async function advance(context: Context, grant: Grant): Promise<void> {
  switch (grant.state) {
    case 'ready':
      return refreshReady(context, grant);
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
  if (grant.state !== 'ready' || grant.refresh_at > now || restsUntil(grant, now) > 0) return;
  context.flights
    .run(grant.id, () => advance(context, grant))
    .catch((error: unknown) => {
      context.logger.warn('an early refresh failed', { grantId: grant.id, error });
    });
}

function currentOf(context: Context, grant: Grant): CurrentAccessToken {
  return {
    grantId: grant.id,
    version: grant.version,
    accessToken: openAccessToken(context, grant),
    suspectCount: grant.suspect_count,
    suspectUntil: grant.suspect_until,
  };
}

/**
 * A live access token of a grant, refreshed first if need be. Gives up after the time that a caller waits; a refresh that
 * was begun goes on.
 * @throws {GrantDead | Unavailable}
 */
export async function accessTokenFor(context: Context, grantId: string): Promise<CurrentAccessToken> {
  const until = performance.now() + CALLER_WAIT;
  while (performance.now() < until) {
    const grant = await findGrant(context.store.durable, grantId);
    if (!grant || grant.state === 'dead') throw new GrantDead(grant?.dead_cause ?? 'unknown');
    if (grant.access_expires_at > context.clock.now()) {
      renewEarly(context, grant);
      return currentOf(context, grant);
    }
    await context.flights.run(grant.id, () => advance(context, grant));
  }
  throw new Unavailable('the refresh takes too long', { retryAfter: 1000 });
}
