import { setTimeout as delay } from 'node:timers/promises';
import {
  CLAIM_TO_WRITE_LIMIT,
  CONNECT_TIMEOUT,
  LOOK_AGAIN,
  NOTHING_SENT_REST_MAX,
  PRESENTING_LIMIT,
} from '../../../shared/lifetimes.ts';
import { Refusal } from '../../../shared/refusals/refusal.ts';
import { Unreadable } from '../../../shared/secrets.ts';
import { countSiblings } from '../../../store/grants/grants.ts';
import { readGrant } from '../../../store/grants/read-grant.ts';
import { endRest, postponeRefresh, redatePresentation } from '../../../store/grants/presentations.ts';
import type { Grant } from '../../../store/tables/tables.ts';
import { Unavailable } from '../../../upstream/outcomes.ts';
import { endGrant } from '../end-grant.ts';
import type { GrantsDeps } from '../deps.ts';
import type { GrantAtWork } from '../grant-at-work.ts';
import type { GrantClient } from '../grant-client.ts';
import { markClaimInDoubt } from '../mark-in-doubt.ts';
import { recoverSpilledPair } from './store-rotated-pair.ts';
import { withLease } from '../../work/lease.ts';
import { lastGoodAnswer, presentingStoppedUntil } from './stop/doubt-breaker.ts';
import { lookingStoppedUntil } from './stop/refresh-breaker.ts';
import { postponeGrant } from './postpone.ts';
import { presentRefreshToken } from './refresh-grant.ts';
import { backOff, doubtEndsAt, mayPresentAgain, restsUntil } from './refresh-policy.ts';
import { serverOf } from '../modern-client.ts';
import { tellRefusedClient } from '../tell-stop.ts';
import { openAccessToken, openRefreshToken } from '../sealed-pair.ts';
import { isOfTakeOver } from '../of-take-over.ts';

/** The grant behind a token has ended. The account holder has to authorize the app again. */
export class GrantDead extends Refusal {}

export interface CurrentAccessToken {
  grantId: string;
  /** The app of the grant. */
  clientId: string;
  version: number;
  accessToken: string;
  expiresAt: number;
  /**
   * How many fresh access tokens of this grant were refused in a row, and until when the grant rests for that reason.
   */
  suspectCount: number;
  suspectUntil: number;
}

function waitFor(context: GrantsDeps, until: number): Unavailable {
  return new Unavailable('the grant cannot be refreshed yet', {
    retryAfter: Math.max(until - context.clock.now(), 1000),
  });
}

/** Puts an old claim in doubt: its process has died, so the outcome is unknown. */
async function noteAbandonedClaim(context: GrantsDeps, grant: GrantAtWork): Promise<void> {
  const now = context.clock.now();
  const age = now - (grant.presented_at ?? 0);
  const seenFor = context.watch.seenFor(grant);
  // A date in the future comes from a wrong clock. Then only the time that this process has seen counts.
  if ((age < 0 ? seenFor : age) < PRESENTING_LIMIT) return;
  await markClaimInDoubt(context, grant, { retryAt: now });
}

/**
 * Asks the server whether a refresh token in doubt is live; undefined where the server has no introspection. After a
 * failure the grant rests with back-off.
 */
async function askIsLive(context: GrantsDeps, grant: GrantAtWork): Promise<boolean | undefined> {
  try {
    const server = await serverOf(context, grant.modern_client_id);
    return await server.isLive(openRefreshToken(context, grant), grant.calling?.trace);
  } catch (error) {
    tellRefusedClient(context, grant, error);
    const rest = backOff(grant.attempts, context.chance(), { longest: NOTHING_SENT_REST_MAX });
    await postponeRefresh(context.store.durable, grant, context.clock.now() + rest);
    throw error;
  }
}

/** Lets one of many processes work on a grant. The other processes wait a moment and read the row again. */
async function oneOf(context: GrantsDeps, grant: Grant, work: () => Promise<void>): Promise<void> {
  const lease = { name: `refresh ${grant.id}`, limit: CONNECT_TIMEOUT + CLAIM_TO_WRITE_LIMIT };
  if (!(await withLease(context, lease, work))) await delay(LOOK_AGAIN);
}

async function presentAgainOrBury(context: GrantsDeps, grant: GrantAtWork): Promise<void> {
  // A pair in this machine's spill is the answer to the presentation. So nothing is in doubt.
  if (await recoverSpilledPair(context, grant)) return;
  const isLive = await askIsLive(context, grant);
  // The original spent this refresh token after the copy was made. Presenting the token again would end the pair that
  // the original got for it.
  if (isLive === false && isOfTakeOver(grant)) return endGrant(context, grant, 'superseded');
  const siblings = await countSiblings(context.store.durable, grant);
  if (!mayPresentAgain(isLive, siblings)) return endGrant(context, grant, 'lost');
  return presentRefreshToken(context, grant, { ifAlone: isLive === undefined });
}

/**
 * How long this process has seen a doubt stand. A doubt from a take-over counts at least from the moment at which this
 * process saw the database become the original.
 */
function doubtSeenFor(context: GrantsDeps, grant: Grant): number {
  const seenFor = context.watch.seenFor(grant);
  return isOfTakeOver(grant) ? Math.max(seenFor, context.instance.originalFor()) : seenFor;
}

/**
 * Until when the grant may not be looked into, because too many grants ended or answers are being lost; 0 for no limit.
 */
async function stoppedUntil(context: GrantsDeps, grant: Grant): Promise<number> {
  const until = await presentingStoppedUntil(context);
  return grant.restored_at === null ? until : Math.max(until, await lookingStoppedUntil(context));
}

/**
 * Looks into a grant in doubt after its quiet time. Presents the refresh token once more where the rules allow this,
 * else ends the grant.
 */
async function resolveDoubt(context: GrantsDeps, grant: GrantAtWork): Promise<void> {
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

/** Whether another grant got a good answer after this grant found no connection. */
async function isReachableAgain(context: GrantsDeps, { put_off_at: putOffAt }: Grant): Promise<boolean> {
  return putOffAt !== null && (await lastGoodAnswer(context)) > putOffAt;
}

/**
 * Takes one step for a grant that is `ready`, unless the grant has to rest. A rest after a failed connection ends with
 * the first good answer for another grant, so that a long outage causes no long rest after it.
 */
async function refreshReady(context: GrantsDeps, grant: GrantAtWork): Promise<void> {
  const until = restsUntil(grant, context.clock.now());
  if (until > 0 && (await isReachableAgain(context, grant))) return endRest(context.store.durable, grant);
  if (until > 0) throw waitFor(context, until);
  context.sides.connections.check();
  return oneOf(context, grant, () => presentRefreshToken(context, grant, { ifAlone: false }));
}

/**
 * Takes one step towards a live access token, depending on the state of the grant. Concurrent callers share the step. A
 * restored copy takes no step: it sends nothing, and decides nothing that only the original can know.
 * @throws {GrantDead | Unavailable}
 */
export async function advance(context: GrantsDeps, grant: GrantAtWork): Promise<void> {
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

/** Refreshes ahead of time in the background. The caller goes on with the access token that is still live. */
function renewEarly(context: GrantsDeps, grant: GrantAtWork): void {
  const now = context.clock.now();
  if (context.shutdown.signal.aborted || context.sides.connections.refuses()) return;
  if (grant.state !== 'ready' || grant.refresh_at > now || restsUntil(grant, now) > 0) return;
  context.flights
    .run(grant.id, () => advance(context, grant))
    .catch((error: unknown) => {
      if (error instanceof Unreadable) return postponeGrant(context, grant, error);
      context.logger.warn('an early refresh failed', { grantId: grant.id, error });
      return undefined;
    });
}

function currentOf(context: GrantsDeps, grant: Grant): CurrentAccessToken {
  if (grant.state === 'ready') context.watch.forget(grant.id);
  return {
    grantId: grant.id,
    clientId: grant.client_id,
    version: grant.version,
    accessToken: openAccessToken(context, grant),
    expiresAt: grant.access_expires_at,
    suspectCount: grant.suspect_count,
    suspectUntil: grant.suspect_until,
  };
}

/** A grant, and the request that needs its access token. */
export type WantedGrant = Pick<GrantClient, 'id' | 'calling'>;

async function advanceUntil(
  context: GrantsDeps,
  { id, calling }: WantedGrant,
  until: number,
): Promise<CurrentAccessToken> {
  for (;;) {
    const row = await readGrant(context.store, id);
    if (!row || row.state === 'dead') throw new GrantDead(row?.dead_cause ?? 'unknown');
    // New names stand before a spread: after it, V8 gives each copy a shape of its own.
    const grant = { calling, ...row };
    if (grant.access_expires_at > context.clock.now()) {
      renewEarly(context, grant);
      return currentOf(context, grant);
    }
    if (performance.now() >= until) throw new Unavailable('the refresh takes too long', { retryAfter: 1000 });
    await context.flights.run(grant.id, () => advance(context, grant));
  }
}

/**
 * A live access token of a grant, after a refresh where one is needed. Gives up after the time that a caller waits. A
 * started refresh continues.
 * @throws {GrantDead | Unavailable}
 */
export async function accessTokenFor(context: GrantsDeps, grant: WantedGrant): Promise<CurrentAccessToken> {
  return context.callers.during(grant.id, (until) => advanceUntil(context, grant, until));
}
