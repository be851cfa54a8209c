import { findGrant, markDead } from '../../store/grants/grants.ts';
import { moveMappings } from '../../store/tokens/mappings.ts';
import { stopReason } from '../../store/grants/presentations.ts';
import type { Database } from '../../store/driver/store.ts';
import type { Grant } from '../../store/tables/tables.ts';
import { forgetAnswer } from './refresh/answer-cache.ts';
import type { GrantsDeps } from './deps.ts';
import type { GrantAtWork } from './grant-at-work.ts';
import { retryUntilStored } from '../work/retry-until-stored.ts';
import { moveOf } from './mapping-state.ts';
import { ofMappings, recordEvents } from '../history/record-event.ts';
import { tellSettled } from './refresh/tell-settled.ts';
import { lookingStoppedUntil, stopAfterDeaths } from './refresh/stop/refresh-breaker.ts';

/**
 * Why a working grant died. `refused`: the new API refused its refresh token. `lost`: the answer with the next refresh
 * token is lost. `superseded`: the original of a restored copy got a next refresh token that the copy does not know.
 */
export type FatalCause = 'refused' | 'lost' | 'superseded';

/**
 * A refusal ends the version that was refused. The causes lost and superseded were decided about one doubt, so they end
 * the version only while the same doubt stands: another process may have presented the version since and hold its
 * answer.
 */
function endingOf({ id, version, claim_id }: Grant, cause: FatalCause) {
  return cause === 'refused' ? { id, version } : { id, version, doubtedClaim: claim_id };
}

/** A line of the log names at most this many tokens that stopped. */
export const MAPPINGS_TOLD = 20;

/** Calls a person when many grants end in a short time, for any cause. */
async function stopWhenMany(context: GrantsDeps, cause: FatalCause): Promise<void> {
  if (cause !== 'superseded') return stopAfterDeaths(context);
  if ((await lookingStoppedUntil(context)) > 0)
    context.logger.error(
      'ALARM: every restored grant seems to be spent, the bridge stops asking about restored grants',
    );
}

/** The end of a grant: the tokens that stopped with it, and the grant as it was. */
interface GrantEnding {
  moved: string[];
  before: Grant;
}

/** Whether an earlier attempt has ended the grant: the answer to its commit was lost. */
const isEndedAt = (grant: Grant, { cause, now }: { cause: FatalCause; now: number }) =>
  grant.state === 'dead' && grant.dead_cause === cause && grant.dead_at === now;

/**
 * Ends a grant that can no longer serve and asks for re-authorization, in one transaction with the history entries.
 * Ends the grant only while the failed version is the current one: the loser of a race must not end the winner's pair.
 */
export async function endGrant(context: GrantsDeps, grant: GrantAtWork, cause: FatalCause): Promise<void> {
  const now = context.clock.now();
  const { requestId = null } = grant.calling ?? {};
  const pair = { clientId: grant.client_id, accountId: grant.account_id };
  let attempted: GrantEnding | undefined;
  const inOneStep = async (tx: Database): Promise<GrantEnding | undefined> => {
    // Introspection may be wrong. So a stop also holds for grants whose introspection ran before the stop.
    if (cause === 'superseded' && (await lookingStoppedUntil(context, tx)) > 0) return undefined;
    // Another process may have marked the grant in doubt since it was claimed here.
    const before = await findGrant(tx, grant.id);
    if (!before) return undefined;
    const dead = await markDead(tx, endingOf(grant, cause), { cause, now, eraseTokens: false });
    if (!dead) return isEndedAt(before, { cause, now }) ? attempted : undefined;
    const reason = stopReason(cause);
    const moved = await moveMappings(tx, pair, { ...moveOf('grant_died'), reason, now });
    const by = { at: now, actor: 'bridge', requestId, grantId: grant.id, ...pair };
    await recordEvents(context, tx, [
      { ...by, action: 'grant_died', reason: cause },
      ...ofMappings({ ...by, action: 'token_reauthorization_required', reason }, moved),
    ]);
    return (attempted = { moved, before });
  };
  const ended = await retryUntilStored(context, 'the end of a grant', () =>
    context.store.transaction(inOneStep),
  );
  if (!ended) return;
  await forgetAnswer(context, grant.id);
  context.watch.forget(grant.id);
  context.metrics.grants.noteDeath(cause);
  const { id: grantId, client_id: clientId } = grant;
  const mappings = ended.moved.slice(0, MAPPINGS_TOLD);
  context.logger.warn('grant died', { grantId, clientId, mappings, requestId, cause });
  tellSettled(context, ended.before, cause);
  await stopWhenMany(context, cause);
}
