import { NOTHING_SENT_REST_MAX } from '../../../shared/lifetimes.ts';
import { findRotating, type RotatingGrant } from '../../../store/grants/grants.ts';
import { endDoubtOfClaim, releaseClaim } from '../../../store/grants/presentations.ts';
import { Unavailable } from '../../../upstream/outcomes.ts';
import { recordEvent } from '../../history/record-event.ts';
import { retryUntilStored } from '../../work/retry-until-stored.ts';
import type { GrantsDeps } from '../deps.ts';
import type { GrantAtWork } from '../grant-at-work.ts';
import { backOff } from './refresh-policy.ts';
import { tellSettled } from './tell-settled.ts';

/** What follows an attempt that provably spent no refresh token. */

/** Whether nothing was sent and no server asked the bridge to wait. */
export const isUnsent = (error: unknown): boolean =>
  error instanceof Unavailable && error.retryAfter === undefined;

/** How long a grant rests after an attempt that spent nothing. */
export function restAfter(error: unknown): Parameters<typeof backOff>[2] {
  if (isUnsent(error)) return { longest: NOTHING_SENT_REST_MAX };
  return { asked: error instanceof Unavailable ? error.retryAfter : undefined };
}

interface UnspentClaim {
  grant: GrantAtWork;
  from: 'ready' | 'in_doubt';
  claimId: string;
}

/** Whether no doubt is left about the version. */
const isSettled = (found: RotatingGrant | undefined, { version }: GrantAtWork) =>
  found?.version === version && found.doubt_since === null;

/**
 * Takes a claim back. While the database was away, another process may have put the claim in doubt. The proof of this
 * process ends that doubt, with its history entry, as long as nobody has claimed the grant anew.
 */
export async function releaseUnspent(
  context: GrantsDeps,
  { grant, from: to, claimId }: UnspentClaim,
  error?: unknown,
): Promise<void> {
  const now = context.clock.now();
  const retryAt = now + backOff(grant.attempts + 1, context.chance(), restAfter(error));
  const { id: grantId, client_id: clientId, account_id: accountId } = grant;
  let attempted: RotatingGrant | undefined;
  const settled = await retryUntilStored(context, 'a released claim', () =>
    context.store.transaction(async (tx) => {
      const back = { claimId, retryAt, now };
      if (await releaseClaim(tx, grant, { to, ...back })) return undefined;
      if (to !== 'ready') return undefined;
      const doubted = await findRotating(tx, grantId);
      // An earlier attempt ended the doubt, but the answer to its commit was lost.
      if (!(await endDoubtOfClaim(tx, grant, back))) return isSettled(doubted, grant) ? attempted : undefined;
      const entry = {
        at: now,
        actor: 'bridge',
        action: 'refresh_unspent',
        reason: 'the refresh token was not spent',
      };
      await recordEvent(context, tx, { ...entry, clientId, accountId, grantId });
      return (attempted = doubted);
    }),
  );
  if (settled) tellSettled(context, settled, 'unspent');
}
