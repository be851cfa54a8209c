import { newHexId } from '../../../shared/ids.ts';
import { momentText } from '../../../shared/moments.ts';
import { endExemptionOf, insertExemption } from '../../../store/lifecycle/brownout-exemptions.ts';
import type { LifecycleDeps } from '../deps.ts';
import { recordEvent } from '../../history/record-event.ts';
import { checkedReason } from '../../history/reason.ts';
import {
  type ChangeOrigin,
  ChangeRefused,
  changeLifecycle,
  requireApp,
  requireIdentifiedApp,
  requireFuture,
} from './change-rules.ts';

interface ExemptionRequest extends ChangeOrigin {
  clientId: string;
  reason: string;
}

/**
 * Exempts an app from the brownouts of all apps until a time. Replaces the exemption that the app has; refuses an
 * exemption until the same time again.
 * @throws {ChangeRefused}
 */
export async function exemptApp(
  context: LifecycleDeps,
  asked: ExemptionRequest & { until: number },
): Promise<{ before: number | undefined }> {
  const { clientId, until, actor, requestId = null } = asked;
  const reason = checkedReason(asked.reason);
  return changeLifecycle(context, async (tx, now) => {
    await requireIdentifiedApp(tx, clientId);
    requireFuture(until, now);
    const before = await endExemptionOf(tx, { clientId, now, by: actor });
    // The refusal rolls the transaction back, so the exemption stays as it was.
    if (before === until)
      throw new ChangeRefused(`The app is exempt from brownouts until ${momentText(until)} already.`);
    const granted = { granted_by: actor, granted_at: now };
    await insertExemption(tx, { id: newHexId(), client_id: clientId, until, reason, ...granted });
    const was = before === undefined ? '' : `, was ${momentText(before)}`;
    const words = `no brownouts until ${momentText(until)}${was}; ${reason}`;
    const change = { at: now, actor, action: 'exemption_granted', reason: words, clientId, requestId };
    await recordEvent(context, tx, change);
    return { before };
  });
}

/**
 * Ends the exemption of an app.
 * @throws {ChangeRefused}
 */
export async function endExemption(
  context: LifecycleDeps,
  asked: ExemptionRequest,
): Promise<{ before: number }> {
  const { clientId, actor, requestId = null } = asked;
  const reason = checkedReason(asked.reason);
  return changeLifecycle(context, async (tx, now) => {
    await requireApp(tx, clientId);
    const before = await endExemptionOf(tx, { clientId, now, by: actor });
    if (before === undefined) throw new ChangeRefused('The app is not exempt from brownouts.');
    const words = `the exemption until ${momentText(before)} is ended; ${reason}`;
    const change = { at: now, actor, action: 'exemption_ended', reason: words, clientId, requestId };
    await recordEvent(context, tx, change);
    return { before };
  });
}
