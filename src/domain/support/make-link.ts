import { MINUTE } from '../../shared/lifetimes.ts';
import { hasEventSince } from '../../store/support/action-target.ts';
import type { Origin } from '../origin.ts';
import type { SupportDeps } from './deps.ts';
import { recordEvent } from '../history/record-event.ts';
import { oldApiStatusNow } from '../lifecycle/old-api-status.ts';
import { reauthorizationLink } from '../authorization/reauthorize.ts';
import { checkedReason } from '../history/reason.ts';
import { mappingTarget } from './actions/actions.ts';

/** Support makes the link that asks the holder of a token to connect again. */

interface LinkRequest extends Origin {
  mappingId: string;
  reason: string;
}

/** `too late`: the old API has ended for the app, so connecting again would not help. */
type LinkResult =
  | { outcome: 'nothing waits' | 'no account' | 'too late' }
  | { outcome: 'made'; link: string };

/** The history records the same request once within this time: a browser may send a form twice. */
const SAME_WITHIN = 1 * MINUTE;

/**
 * Answers the one link of the token's app and account. The history records who asked for the link and why.
 * @throws {ReasonRefused}
 */
export async function makeLink(context: SupportDeps, asked: LinkRequest): Promise<LinkResult> {
  const { mappingId, actor, requestId } = asked;
  const reason = checkedReason(asked.reason);
  const target = await mappingTarget(context, mappingId);
  if (!target?.isWaiting) return { outcome: 'nothing waits' };
  const { clientId, accountId } = target;
  if (oldApiStatusNow(context, clientId).phase === 'ended') return { outcome: 'too late' };
  if (accountId === null) return { outcome: 'no account' };
  const link = await reauthorizationLink(context, { clientId, accountId });
  await context.store.transaction(async (tx) => {
    const at = context.clock.now();
    const once = { mappingId, action: 'link_made', actor, reason, since: at - SAME_WITHIN };
    if (await hasEventSince(tx, once)) return;
    const by = { at, actor, requestId, clientId, accountId, mappingId };
    await recordEvent(context, tx, { ...by, action: 'link_made', reason });
  });
  return { outcome: 'made', link };
}
