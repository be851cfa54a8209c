import { setTimeout as delay } from 'node:timers/promises';
import { newHexId } from '../../../shared/ids.ts';
import {
  CLAIM_TO_WRITE_LIMIT,
  DOUBT_REST_MAX,
  LOOK_AGAIN,
  SILENT_AFTER,
  STORE_LIMIT,
  UPSTREAM_TIMEOUT,
} from '../../../shared/lifetimes.ts';
import { claimInTurn, TurnGone } from '../../../store/grants/claim-in-turn.ts';
import type { BreakerView } from '../../../store/grants/refresh-breaker.ts';
import { type ClaimDecision, claimPresenting } from '../../../store/grants/claim-presenting.ts';
import { restUntil } from '../../../store/grants/presentations.ts';
import type { AuthorizationServer } from '../../../upstream/authorization-server.ts';
import { BreakerOpen } from '../../../upstream/breaker.ts';
import type { Connection } from '../../../upstream/connection.ts';
import { Rejected, type TokenPair, Unavailable } from '../../../upstream/outcomes.ts';
import { endGrant } from '../end-grant.ts';
import type { GrantsDeps } from '../deps.ts';
import type { GrantAtWork } from '../grant-at-work.ts';
import { markClaimInDoubt } from '../mark-in-doubt.ts';
import { changeOfClaim, isCalmTurn } from './stop/breaker-rules.ts';
import { endProbe, findTurn, followOutcome } from './stop/doubt-breaker.ts';
import { enter, waitToEnter } from './few-at-once.ts';
import type { RefreshSlot } from './refresh-limit.ts';
import { storeRotatedPair } from './store-rotated-pair.ts';
import { serverOf } from '../modern-client.ts';
import { backOff } from './refresh-policy.ts';
import { isUnsent, releaseUnspent, restAfter } from './unspent.ts';
import { tellAskedToWait, tellFullDisk, tellRefusedClient } from '../tell-stop.ts';
import { openRefreshToken, sealPair } from '../sealed-pair.ts';
import { outcomeOf } from './refresh-outcome.ts';

/**
 * One presentation of a grant's refresh token (docs/decisions/0003): connect, claim `presenting(v)` durably, write, and
 * store the received pair by compare on v. The invariant: v is never presented twice without proof that the first
 * presentation spent nothing, except where docs/decisions/0005-in-doubt.md allows it.
 */

interface Claim {
  grant: GrantAtWork;
  server: AuthorizationServer;
  from: 'ready' | 'in_doubt';
  claimId: string;
  /**
   * Refuses the claim if another grant of the account lives on the same client. Set for a grant in doubt when the
   * server has no introspection.
   */
  ifAlone: boolean;
  /** What the breaker allows. */
  place: RefreshSlot;
  /** When it began: by the clocks of the database, of this process (monotonic) and of the machine's wall. */
  begun: { at: number; elapsed: number; wall: number };
  /** The database that has the claim. */
  owner: ReturnType<GrantsDeps['instance']['pairOwner']>;
}

type Begun = 'from' | 'claimId' | 'begun' | 'owner';

/** A started presentation ends within this time. A stop that cuts a presentation leaves the grant in doubt. */
const PRESENTATION_LIMIT = CLAIM_TO_WRITE_LIMIT + UPSTREAM_TIMEOUT + STORE_LIMIT;

/** Stops refreshing while the disk may have no room to keep the answer. */
async function mustBeSafe(context: GrantsDeps): Promise<void> {
  if (await context.spill.hasRoom().catch(() => false)) return;
  tellFullDisk(context);
  throw new Unavailable('the disk is nearly full');
}

async function connectOrPostpone(
  context: GrantsDeps,
  grant: GrantAtWork,
): Promise<{ server: AuthorizationServer; connection: Connection }> {
  try {
    await mustBeSafe(context);
    const server = await serverOf(context, grant.modern_client_id);
    const connection = await server.connect(() => context.callers.isWaitedFor(grant.id));
    return { server, connection: { ...connection, trace: grant.calling?.trace } };
  } catch (error) {
    // Nobody tried to connect, or the fault is here: the grant has no reason to rest.
    if (!(error instanceof Unavailable) || error instanceof BreakerOpen) throw error;
    const now = context.clock.now();
    const retryAt = now + backOff(grant.attempts, context.chance(), restAfter(error));
    await restUntil(context.store.durable, grant, { retryAt, putOffAt: isUnsent(error) ? now : null });
    throw error;
  }
}

/** Checks every clock. Somebody may have set one clock, and another clock stands still while the machine sleeps. */
function isTooLate({ clock }: GrantsDeps, { begun }: Claim): boolean {
  const passed = Math.max(clock.elapsed() - begun.elapsed, clock.now() - begun.at, clock.wall() - begun.wall);
  return passed > CLAIM_TO_WRITE_LIMIT;
}

/**
 * Writes the request. Gives up if too much time has passed since the claim, because another process may act on the
 * claim by then.
 */
async function write(
  context: GrantsDeps,
  connection: Connection,
  claim: Claim & { refreshToken: string },
): Promise<TokenPair> {
  if (isTooLate(context, claim)) {
    connection.reset();
    throw new Unavailable('too much time passed between claim and write');
  }
  const { refreshToken, grant } = claim;
  return claim.server.refresh(connection, { refreshToken, scope: grant.scope, account: grant.account_id });
}

async function settleFailure(context: GrantsDeps, claim: Claim, error: unknown): Promise<void> {
  // A refusal, or a request that was not written, proves that no answer was lost.
  if (error instanceof Rejected || error instanceof Unavailable) await endProbe(context, claim.place.turn);
  if (error instanceof Rejected && error.code === 'invalid_grant') {
    return endGrant(context, claim.grant, 'refused');
  }
  tellRefusedClient(context, claim.grant, error);
  tellAskedToWait(context, claim.grant, error);
  if (error instanceof Rejected || error instanceof Unavailable) return releaseUnspent(context, claim, error);
  const rest = backOff(claim.grant.attempts + 1, context.chance(), { longest: DOUBT_REST_MAX });
  const retryAt = context.clock.now() + rest;
  await markClaimInDoubt(context, { ...claim.grant, claim_id: claim.claimId }, { retryAt, error });
}

function newClaim({ clock, instance }: GrantsDeps, parts: Omit<Claim, Begun>): Claim {
  const from = parts.grant.state === 'in_doubt' ? 'in_doubt' : 'ready';
  const begun = { at: clock.now(), elapsed: clock.elapsed(), wall: clock.wall() };
  return { from, claimId: newHexId(), begun, owner: instance.pairOwner(), ...parts };
}

/** Claims as the breaker allows: without a limit while good answers come, else one claim after the other. */
async function claimAsAllowed(
  { store }: GrantsDeps,
  claim: Claim,
  decision: ClaimDecision,
): Promise<boolean> {
  const {
    grant,
    place: { turn },
  } = claim;
  if (turn.kind === 'free') return claimPresenting(store.durable, grant, decision);
  const decide = (view: BreakerView) => changeOfClaim(turn, view, decision.now);
  return claimInTurn(store, grant, { decide, ...decision });
}

/**
 * Claims the version that was read; false when another holder was faster. If the database does not say whether it took
 * the claim, nothing is presented and the claim is released by its id.
 * @throws {TurnGone} the breaker no longer allows the claim
 */
async function isClaimed(context: GrantsDeps, claim: Claim): Promise<boolean> {
  const { grant, from, claimId, ifAlone, begun, place } = claim;
  const instance = context.instance.seen();
  const breaker = place.turn.kind === 'free' ? place.turn.breaker : undefined;
  const decision = { from, seenClaim: grant.claim_id, claimId, ifAlone, now: begun.at, instance, breaker };
  try {
    if (await claimAsAllowed(context, claim, decision)) return true;
  } catch (error) {
    if (!(error instanceof TurnGone)) await releaseUnspent(context, claim);
    throw error;
  }
  // Another holder was faster, or the database has just become a copy. The pause makes a claim that is refused again
  // and again no more costly than a claim that waits.
  await context.instance.look();
  await delay(LOOK_AGAIN);
  return false;
}

async function writeAndSettle(
  context: GrantsDeps,
  connection: Connection,
  claim: Claim & { refreshToken: string },
): Promise<void> {
  const { grant, begun, place, owner } = claim;
  let received: TokenPair;
  try {
    received = await write(context, connection, claim);
  } catch (error) {
    context.metrics.grants.noteRefresh(outcomeOf(error));
    return settleFailure(context, claim, error);
  }
  const pair = sealPair(context, { id: grant.id, version: grant.version + 1, sentAt: begun.at }, received);
  await storeRotatedPair(context, { grantId: grant.id, version: grant.version, pair, owner });
  context.metrics.grants.noteRefresh('renewed');
  if (!isCalmTurn(place.turn)) await followOutcome(context);
}

async function claimAndWrite(
  context: GrantsDeps,
  claim: Claim & { refreshToken: string },
  connection: Connection,
): Promise<void> {
  const { grant, claimId } = claim;
  if (!(await isClaimed(context, claim))) return;
  claim.place.leave();
  context.watch.seenFor({ id: grant.id, claim_id: claimId });
  // Raises the epoch after the claim and after its outcome: an older copy of the database, which knows neither, is
  // detected.
  context.instance.noteClaim();
  await writeAndSettle(context, connection, claim).finally(() => context.instance.noteClaim());
}

/**
 * Waits until the breaker allows a presentation; undefined when the wait takes too long. Also undefined for an early
 * refresh that would have to wait, or that would run while answers are lost: its access token is still live.
 * @throws {Unavailable} presenting is stopped
 */
async function askToPresent(context: GrantsDeps, grant: GrantAtWork): Promise<RefreshSlot | undefined> {
  const turn = await findTurn(context);
  const isEarly = grant.access_expires_at > context.clock.now();
  if (isEarly && !isCalmTurn(turn)) return undefined;
  const place = enter(context, turn);
  return place === undefined && !isEarly ? waitToEnter(context) : place;
}

type Presentation = Pick<Claim, 'grant' | 'place' | 'ifAlone'> & { refreshToken: string };

async function connectAndPresent(
  context: GrantsDeps,
  { refreshToken, ...parts }: Presentation,
): Promise<void> {
  const { server, connection } = await connectOrPostpone(context, parts.grant);
  try {
    if (!context.shutdown.leavesTimeFor(PRESENTATION_LIMIT)) throw new Unavailable('the process is stopping');
    const claim = newClaim(context, { server, ...parts });
    await claimAndWrite(context, { refreshToken, ...claim }, connection);
  } finally {
    connection.reset();
  }
}

/** False when other presentations took the last places before this presentation had its claim. */
async function presentIfAllowed(
  context: GrantsDeps,
  presentation: Omit<Presentation, 'place'>,
): Promise<boolean> {
  const place = await askToPresent(context, presentation.grant);
  if (place === undefined) return true;
  try {
    await connectAndPresent(context, { place, ...presentation });
    return true;
  } catch (error) {
    if (error instanceof TurnGone) return false;
    throw error;
  } finally {
    place.leave();
  }
}

/**
 * Presents the refresh token of a grant that is `ready`, or `in_doubt` if the rules allow one more presentation.
 * Resolves when the outcome, good or bad, is recorded. The caller then reads the row again.
 * @throws {Unavailable | Unreadable} nothing was claimed
 */
export async function presentRefreshToken(
  context: GrantsDeps,
  grant: GrantAtWork,
  { ifAlone }: { ifAlone: boolean },
): Promise<void> {
  if (grant.state !== 'ready' && grant.state !== 'in_doubt') return;
  // A refresh token that does not open may open later with the right keys. So this line throws before any claim or
  // request.
  const refreshToken = openRefreshToken(context, grant);
  const until = performance.now() + SILENT_AFTER;
  while (!(await presentIfAllowed(context, { grant, ifAlone, refreshToken }))) {
    await delay(LOOK_AGAIN);
    if (performance.now() > until) return;
  }
}
