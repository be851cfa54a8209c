import { markInDoubt } from '../../store/grants/presentations.ts';
import type { GrantsDeps } from './deps.ts';
import type { GrantAtWork } from './grant-at-work.ts';
import { followOutcome } from './refresh/stop/doubt-breaker.ts';
import { listIdsUnder } from '../../store/tokens/mapping-ids.ts';
import { retryUntilStored } from '../work/retry-until-stored.ts';
import { recordEvent } from '../history/record-event.ts';

/** A line of the log names at most this many of the tokens that stand on the grant. */
const MAPPINGS_TOLD = 20;

/**
 * Puts a claimed presentation in doubt, with its history entry: nobody can say whether the refresh token was spent.
 * `error` is the failure, if this process saw it. Does nothing when the claim no longer stands.
 */
export async function markClaimInDoubt(
  context: GrantsDeps,
  grant: Pick<GrantAtWork, 'id' | 'version' | 'claim_id' | 'client_id' | 'account_id' | 'calling'>,
  { retryAt, error }: { retryAt: number; error?: unknown },
): Promise<void> {
  const now = context.clock.now();
  const isHeard = error !== undefined;
  const { requestId = null } = grant.calling ?? {};
  const reason = isHeard ? 'no usable answer came' : 'its process ended';
  const isMarked = await retryUntilStored(context, 'a doubt', () =>
    context.store.transaction(async (tx) => {
      const doubt = { claimId: grant.claim_id, retryAt, now, isHeard };
      if (!(await markInDoubt(tx, grant, doubt))) return false;
      await recordEvent(context, tx, {
        at: now,
        actor: 'bridge',
        action: 'refresh_in_doubt',
        reason,
        requestId,
        clientId: grant.client_id,
        accountId: grant.account_id,
        grantId: grant.id,
      });
      return true;
    }),
  );
  if (!isMarked) return;
  const { id: grantId, client_id: clientId } = grant;
  const mappings = await listIdsUnder(context.store.durable, grantId, MAPPINGS_TOLD).catch(() => undefined);
  const detail = error instanceof Error ? error.message : undefined;
  context.logger.warn('refresh in doubt', { grantId, clientId, mappings, requestId, reason, detail });
  if (isHeard) await followOutcome(context);
}
