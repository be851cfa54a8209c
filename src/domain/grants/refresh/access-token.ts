import { setTimeout as delay } from 'node:timers/promises';
import {
  CALLER_WAIT,
  CLAIM_TO_WRITE_LIMIT,
  CONNECT_TIMEOUT,
  LOOK_AGAIN,
  PRESENTING_LIMIT,
} from '../../../shared/lifetimes.ts';
import { Unreadable } from '../../../shared/secrets.ts';
import { countSiblings, findGrant } from '../../../store/grants/grants.ts';
import { endRest, postponeRefresh, redatePresentation } from '../../../store/grants/presentations.ts';
import type { Grant } from '../../../store/tables/tables.ts';
import { Unavailable } from '../../../upstream/outcomes.ts';
import { endGrant } from '../end-grant.ts';
import type { Context } from '../../context.ts';
import { markClaimInDoubt } from '../mark-in-doubt.ts';
import { recoverSpilledPair } from './store-rotated-pair.ts';
import { withLease } from '../../work/lease.ts';
import { lastGoodAnswer, presentingStoppedUntil } from './doubt-breaker.ts';
import { lookingStoppedUntil } from './refresh-breaker.ts';
import { postponeGrant } from './postpone.ts';
import { presentRefreshToken } from './refresh-grant.ts';
import { backOff, doubtEndsAt, mayPresentAgain, restsUntil } from './refresh-policy.ts';
import { serverOf } from '../modern-client.ts';
import { openAccessToken, openRefreshToken } from '../sealed-pair.ts';

/** The grant behind a token has ended; re-authorization is asked for. */
export class GrantDead extends Error {
  override readonly name = 'GrantDead';
}

export interface CurrentAccessToken {
  grantId: string;
  version: number;
  accessToken: string;
  expiresAt: number;
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
  const age = now - (grant.presented_at ?? 0);
  const seenFor = context.watch.seenFor(grant);
  // A date in the future says nothing; then only what this process has seen itself counts.
  if ((age < 0 ? seenFor : age) < PRESENTING_LIMIT) return;
  await markClaimInDoubt(context, grant, { retryAt: now });
}

/** Asks the server about a token in doubt; while it does not say, the question rests with back-off. */
async function askIsLive(context: Context, grant: Grant): Promise<boolean | undefined> {
  try {
    const server = await serverOf(context, grant.modern_client_id);
    return await server.isLive(openRefreshToken(context, grant));
  } catch (error) {
    const retryAt = context.clock.now() + backOff(grant.attempts, context.chance());
    await postponeRefresh(context.store.durable, grant, retryAt);
    throw error;
  }
}

/** Of many processes one goes on with a grant; the others look at its row again. */
async function oneOf(context: Context, grant: Grant, work: () => Promise<void>): Promise<void> {
  const lease = { name: `refresh ${grant.id}`, limit: CONNECT_TIMEOUT + CLAIM_TO_WRITE_LIMIT };
  if (!(await withLease(context, lease, work))) await delay(LOOK_AGAIN);
}

async function presentAgainOrBury(context: Context, grant: Grant): Promise<void> {
  // A pair that lies in this machine's spill is the answer itself: nothing is in doubt.
  if (await recoverSpilledPair(context, grant.id)) return;
  const isLive = await askIsLive(context, grant);
  // Spent by the original after the copy was made: presenting it would end what the original got for it.
  if (isLive === false && isOfTakeOver(grant)) return endGrant(context, grant, 'superseded');
  const siblings = await countSiblings(context.store.durable, grant);
  if (!mayPresentAgain(isLive, siblings)) return endGrant(context, grant, 'lost');
  return presentRefreshToken(context, grant, { ifAlone: isLive === undefined });
}

/** Not presented since the take-over that put it in doubt. */
function isOfTakeOver({ restored_at: restoredAt, presented_at: presentedAt }: Grant): boolean {
  return restoredAt !== null && restoredAt === presentedAt;
}

/** How long this process itself has seen a doubt stand; that of a take-over it saw as the instance's new beginning. */
function doubtSeenFor(context: Context, grant: Grant): number {
  const seenFor = context.watch.seenFor(grant);
  return isOfTakeOver(grant) ? Math.max(seenFor, context.instance.originalFor()) : seenFor;
}

/** Until when the grant may not be looked into because too many ended, or answers are lost; 0 when it may. */
async function stoppedUntil(context: Context, grant: Grant): Promise<number> {
  const until = await presentingStoppedUntil(context);
  return grant.restored_at === null ? until : Math.max(until, await lookingStoppedUntil(context));
}

/** Looks into a grant in doubt once its time has come: present once more where that is allowed, else give it up. */
async function resolveDoubt(context: Context, grant: Grant): Promise<void> {
  const now = context.clock.now();
  const reallyQuiet = context.settings.inDoubtQuiet - doubtSeenFor(context, grant);
  if (grant.presented_at !== null && grant.presented_at > now) {
    return redatePresentation(context.store.durable, grant, { seen: grant.presented_at, now });
  }
  const endsAt = Math.max(doubtEndsAt(grant, context.settings.inDoubtQuiet, now), now + reallyQuiet);
  if (endsAt > now) throw waitFor(context, endsAt);
  const until = await stoppedUntil(context, grant);
  if (until > 0) throw waitFor(context, until);
  return oneOf(context, grant, () => presentAgainOrBury(context, grant));
}

/** Whether another grant got a good answer since this one found no connection. */
async function isReachableAgain(context: Context, { put_off_at: putOffAt }: Grant): Promise<boolean> {
  return putOffAt !== null && (await lastGoodAnswer(context)) > putOffAt;
}

/**
 * One step for a grant that is `ready`, unless it has to rest. A rest for a connection that did not come about ends with
 * the first good answer that another grant gets: nobody waits longer because the fault lasted long.
 */
async function refreshReady(context: Context, grant: Grant): Promise<void> {
  const until = restsUntil(grant, context.clock.now());
  if (until > 0 && (await isReachableAgain(context, grant))) return endRest(context.store.durable, grant);
  if (until > 0) throw waitFor(context, until);
  return oneOf(context, grant, () => presentRefreshToken(context, grant, { ifAlone: false }));
}

/**
 * One step towards a live access token, by the grant's state; several callers share it. On a restored copy there is
 * none: nothing is sent, and nothing is decided that only the original can know.
 * @throws {GrantDead | Unavailable}
 */
export async function advance(context: Context, grant: Grant): Promise<void> {
  if (context.instance.isCopy()) throw new Unavailable('a restored copy refreshes nothing');
  switch (grant.state) {
    case 'ready':
      return refreshReady(context, grant);
    case 'presenting':
      await noteAbandonedClaim(context, grant);
      return delay(LOOK_AGAIN);
    case 'in_doubt':
      return resolveDoubt(context, grant);
    case 'dead':
      throw new GrantDead(grant.dead_cause ?? 'unknown');
  }
}

/** Renews ahead of time, in the background; the caller goes on with the token that still lives. */
function renewEarly(context: Context, grant: Grant): void {
  const now = context.clock.now();
  if (context.shutdown.signal.aborted) return;
  if (grant.state !== 'ready' || grant.refresh_at > now || restsUntil(grant, now) > 0) return;
  context.flights
    .run(grant.id, () => advance(context, grant))
    .catch((error: unknown) => {
      if (error instanceof Unreadable) return postponeGrant(context, grant, error);
      context.logger.warn('an early refresh failed', { grantId: grant.id, error });
      return undefined;
    });
}

function currentOf(context: Context, grant: Grant): CurrentAccessToken {
  if (grant.state === 'ready') context.watch.forget(grant.id);
  return {
    grantId: grant.id,
    version: grant.version,
    accessToken: openAccessToken(context, grant),
    expiresAt: grant.access_expires_at,
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
  for (;;) {
    const grant = await findGrant(context.store.durable, grantId);
    if (!grant || grant.state === 'dead') throw new GrantDead(grant?.dead_cause ?? 'unknown');
    if (grant.access_expires_at > context.clock.now()) {
      renewEarly(context, grant);
      return currentOf(context, grant);
    }
    if (performance.now() >= until) throw new Unavailable('the refresh takes too long', { retryAfter: 1000 });
    await context.flights.run(grant.id, () => advance(context, grant));
  }
}
