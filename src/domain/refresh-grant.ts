import { CLAIM_TO_WRITE_LIMIT } from '../shared/lifetimes.ts';
import {
  claimPresenting,
  findGrant,
  markInDoubt,
  postponeRefresh,
  releaseClaim,
  storeRotation,
} from '../store/grants.ts';
import type { Grant } from '../store/tables.ts';
import type { Connection } from '../upstream/connection.ts';
import { Rejected, type TokenPair, Unavailable } from '../upstream/outcomes.ts';
import { buryGrant } from './bury-grant.ts';
import type { Context } from './context.ts';
import { insist } from './insist.ts';
import { oweRevocation } from './owe-revocation.ts';
import { backOff } from './refresh-policy.ts';
import { openRefreshToken, sealPair } from './sealed-pair.ts';

/**
 * One presentation of a grant's refresh token (design 4): connect, claim `presenting(v)` durably, write, and store what
 * came by compare on v. What may not happen: presenting v twice without proof that the first time spent nothing.
 */

interface Claim {
  grant: Grant;
  from: 'ready' | 'in_doubt';
  presentedAt: number;
}

async function connectOrPostpone(context: Context, grant: Grant): Promise<Connection> {
  try {
    return await context.server.connect();
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

/** Gives up before writing when too much time has passed since the claim, for another process may act on it by then. */
async function write(
  context: Context,
  connection: Connection,
  claim: Claim & { refreshToken: string },
): Promise<TokenPair> {
  if (context.clock.now() - claim.presentedAt > CLAIM_TO_WRITE_LIMIT) {
    connection.reset();
    throw new Unavailable('too much time passed between claim and write');
  }
  return context.server.refresh(connection, { refreshToken: claim.refreshToken, scope: claim.grant.scope });
}

/** A pair that came for a grant that has ended must be ended upstream too; beside a live one it is left to expire. */
async function oweSurplus(context: Context, grant: Grant, pair: TokenPair): Promise<void> {
  const current = await findGrant(context.store.durable, grant.id);
  if (current?.state !== 'dead') return;
  const owed = { grant, refreshToken: pair.refreshToken };
  await context.store.transaction((tx) => oweRevocation(context, tx, owed));
}

async function keep(context: Context, { grant, presentedAt }: Claim, pair: TokenPair): Promise<void> {
  const sealed = sealPair(context, { id: grant.id, version: grant.version + 1, sentAt: presentedAt }, pair);
  const stored = await insist(context, 'a rotated pair', () =>
    storeRotation(context.store.durable, grant, { ...sealed, now: context.clock.now() }),
  );
  if (stored) return;
  context.logger.warn('a surplus pair came back', { grantId: grant.id, version: grant.version });
  await insist(context, 'a surplus pair', () => oweSurplus(context, grant, pair));
}

async function release(context: Context, claim: Claim, asked?: number): Promise<void> {
  const now = context.clock.now();
  const retryAt = now + backOff(claim.grant.attempts + 1, context.chance(), asked);
  const back = { to: claim.from, presentedAt: claim.presentedAt, retryAt, now };
  await insist(context, 'a released claim', () => releaseClaim(context.store.durable, claim.grant, back));
}

async function recordDoubt(context: Context, claim: Claim, error: unknown): Promise<void> {
  const now = context.clock.now();
  const retryAt = now + backOff(claim.grant.attempts + 1, context.chance());
  const doubt = { presentedAt: claim.presentedAt, retryAt, now };
  await insist(context, 'a doubt', () => markInDoubt(context.store.durable, claim.grant, doubt));
  context.logger.error('refresh in doubt', { grantId: claim.grant.id, version: claim.grant.version, error });
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
  return recordDoubt(context, claim, error);
}

/** Claims the version that was read; gives the connection back where another holder was faster. */
async function claimVersion(
  context: Context,
  grant: Grant,
  connection: Connection,
): Promise<Claim | undefined> {
  const from = grant.state === 'in_doubt' ? 'in_doubt' : 'ready';
  const presentedAt = context.clock.now();
  const decision = { from, seenPresentedAt: grant.presented_at, now: presentedAt } as const;
  const won = await claimPresenting(context.store.durable, grant, decision).catch((error: unknown) => {
    connection.reset();
    throw error;
  });
  if (won) return { grant, from, presentedAt };
  connection.reset();
  return undefined;
}

/**
 * Presents the refresh token of a grant that is `ready`, or `in_doubt` where the rules allow it once more. Resolves when
 * the outcome is recorded, whatever it is; the caller reads the row again.
 * @throws {Unavailable} nothing was claimed
 */
export async function presentRefreshToken(context: Context, grant: Grant): Promise<void> {
  if (grant.state !== 'ready' && grant.state !== 'in_doubt') return;
  if (context.breaker.stoppedUntil() > 0) throw new Unavailable('refreshing is stopped after many refusals');
  const refreshToken = openRefreshToken(context, grant);
  const connection = await connectOrPostpone(context, grant);
  const claimed = await claimVersion(context, grant, connection);
  if (!claimed) return;
  let pair: TokenPair;
  try {
    pair = await write(context, connection, { ...claimed, refreshToken });
  } catch (error) {
    return settleFailure(context, claimed, error);
  }
  await keep(context, claimed, pair);
}
