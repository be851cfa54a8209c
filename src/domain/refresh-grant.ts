import { newHexId } from '../shared/ids.ts';
import { CLAIM_TO_WRITE_LIMIT } from '../shared/lifetimes.ts';
import { claimPresenting, postponeRefresh, releaseClaim } from '../store/presentations.ts';
import type { Grant } from '../store/tables.ts';
import type { AuthorizationServer } from '../upstream/authorization-server.ts';
import type { Connection } from '../upstream/connection.ts';
import { Rejected, type TokenPair, Unavailable } from '../upstream/outcomes.ts';
import { buryGrant } from './bury-grant.ts';
import type { Context } from './context.ts';
import { doubtClaim } from './doubt-claim.ts';
import { insist } from './insist.ts';
import { keepPair } from './keep-pair.ts';
import { serverOf } from './modern-client.ts';
import { refreshStoppedUntil } from './refresh-breaker.ts';
import { backOff } from './refresh-policy.ts';
import { openRefreshToken, sealPair } from './sealed-pair.ts';

/**
 * One presentation of a grant's refresh token (design 4): connect, claim `presenting(v)` durably, write, and store what
 * came by compare on v. What may not happen: presenting v twice without proof that the first time spent nothing.
 */

interface Claim {
  grant: Grant;
  server: AuthorizationServer;
  from: 'ready' | 'in_doubt';
  claimId: string;
  /** In doubt without introspection: another live grant that came since forbids it. */
  ifAlone: boolean;
  /** When the claim was begun, by the database's clock, by this process's and by the machine's. */
  begun: { at: number; elapsed: number; wall: number };
}

/** Nothing is spent while many grants are being refused, or while the answer might find no place to be kept. */
async function mustBeSafe(context: Context): Promise<void> {
  const stoppedFor = (await refreshStoppedUntil(context)) - context.clock.now();
  if (stoppedFor > 0)
    throw new Unavailable('refreshing is stopped after many refusals', { retryAfter: stoppedFor });
  if (await context.spill.hasRoom().catch(() => false)) return;
  context.logger.error('ALARM: the disk is nearly full, nothing is refreshed');
  throw new Unavailable('the disk is nearly full');
}

async function connectOrPostpone(
  context: Context,
  grant: Grant,
  server: AuthorizationServer,
): Promise<Connection> {
  try {
    await mustBeSafe(context);
    return await server.connect();
  } catch (error) {
    const asked = error instanceof Unavailable ? error.retryAfter : undefined;
    await postponeRefresh(
      context.store.durable,
      grant,
      context.clock.now() + backOff(grant.attempts, context.chance(), asked),
    );
    throw error;
  }
}

/** By every clock: one may have been set, another does not count while the machine sleeps. */
function isTooLate({ clock }: Context, { begun }: Claim): boolean {
  const passed = Math.max(clock.elapsed() - begun.elapsed, clock.now() - begun.at, clock.wall() - begun.wall);
  return passed > CLAIM_TO_WRITE_LIMIT;
}

/** Gives up before writing when too much time has passed since the claim, for another process may act on it by then. */
async function write(
  context: Context,
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

async function release(context: Context, claim: Claim, asked?: number): Promise<void> {
  const now = context.clock.now();
  const retryAt = now + backOff(claim.grant.attempts + 1, context.chance(), asked);
  const back = { to: claim.from, claimId: claim.claimId, retryAt, now };
  await insist(context, 'a released claim', () => releaseClaim(context.store.durable, claim.grant, back));
}

async function settleFailure(context: Context, claim: Claim, error: unknown): Promise<void> {
  if (error instanceof Rejected && error.code === 'invalid_grant') {
    return buryGrant(context, claim.grant, 'refused');
  }
  if (error instanceof Rejected) {
    context.logger.error('ALARM: the modern side refuses the bridge itself', { refusal: error.code });
    return release(context, claim);
  }
  if (error instanceof Unavailable) return release(context, claim, error.retryAfter);
  const retryAt = context.clock.now() + backOff(claim.grant.attempts + 1, context.chance());
  await doubtClaim(context, { ...claim.grant, claim_id: claim.claimId }, { retryAt, error });
}

function newClaim(
  { clock }: Context,
  { grant, server }: Pick<Claim, 'grant' | 'server'>,
  ifAlone: boolean,
): Claim {
  const from = grant.state === 'in_doubt' ? 'in_doubt' : 'ready';
  const begun = { at: clock.now(), elapsed: clock.elapsed(), wall: clock.wall() };
  return { grant, server, from, claimId: newHexId(), ifAlone, begun };
}

/**
 * Claims the version that was read; false where another holder was faster. Where the database does not say whether it
 * took the claim, nothing is presented, and the claim is taken back by its own name.
 */
async function isClaimed(context: Context, claim: Claim): Promise<boolean> {
  const { grant, from, claimId, ifAlone, begun } = claim;
  const instance = context.instance.seen();
  const decision = { from, seenClaim: grant.claim_id, claimId, ifAlone, now: begun.at, instance };
  try {
    if (await claimPresenting(context.store.durable, grant, decision)) return true;
  } catch (error) {
    await release(context, claim);
    throw error;
  }
  // Another holder was faster, or the database became a copy a moment ago.
  await context.instance.look();
  return false;
}

async function writeAndSettle(
  context: Context,
  connection: Connection,
  claim: Claim & { refreshToken: string },
): Promise<void> {
  const { grant, begun } = claim;
  let received: TokenPair;
  try {
    received = await write(context, connection, claim);
  } catch (error) {
    return settleFailure(context, claim, error);
  }
  const pair = sealPair(context, { id: grant.id, version: grant.version + 1, sentAt: begun.at }, received);
  await keepPair(context, { grantId: grant.id, version: grant.version, pair });
}

async function claimAndWrite(
  context: Context,
  claim: Claim & { refreshToken: string },
  connection: Connection,
): Promise<void> {
  const { grant, claimId } = claim;
  if (!(await isClaimed(context, claim))) return;
  context.watch.seenFor({ id: grant.id, claim_id: claimId });
  // Neither the claim nor its outcome may be forgotten unnoticed.
  context.instance.noteClaim();
  await writeAndSettle(context, connection, claim).finally(() => context.instance.noteClaim());
}

/**
 * Presents the refresh token of a grant that is `ready`, or `in_doubt` where the rules allow it once more. Resolves when
 * the outcome is recorded, whatever it is; the caller reads the row again.
 * @throws {Unavailable | Unreadable} nothing was claimed
 */
export async function presentRefreshToken(
  context: Context,
  grant: Grant,
  { ifAlone }: { ifAlone: boolean },
): Promise<void> {
  if (grant.state !== 'ready' && grant.state !== 'in_doubt') return;
  // One that does not open claims nothing and asks nobody: it may open again with the right keys.
  const refreshToken = openRefreshToken(context, grant);
  const server = await serverOf(context, grant.modern_client_id);
  const connection = await connectOrPostpone(context, grant, server);
  try {
    if (context.flights.isClosing()) throw new Unavailable('the process is stopping');
    await claimAndWrite(
      context,
      { ...newClaim(context, { grant, server }, ifAlone), refreshToken },
      connection,
    );
  } finally {
    connection.reset();
  }
}
