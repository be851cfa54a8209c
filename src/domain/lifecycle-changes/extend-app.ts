import { endExtensionOf, insertExtension } from '../../store/extensions.ts';
import { newHexId } from '../../shared/ids.ts';
import type { Context } from '../context.ts';
import type { Milestone } from '../lifecycle.ts';
import { recordEvent } from '../record-event.ts';
import { checkedReason } from '../revoke-token.ts';
import {
  type By,
  ChangeRefused,
  changeLifecycle,
  datesIn,
  momentText,
  requireApp,
  requireFuture,
} from './change-rules.ts';

interface Asked extends By {
  clientId: string;
  name: Milestone;
  reason: string;
}

/** What came of it. */
export interface Extended {
  /** Until when the one went that this one replaces. */
  before: number | undefined;
  /** Why it gives the app no more time than all have; undefined when it does. */
  warning: string | undefined;
}

function warningFor(name: Milestone, until: number, common: number | undefined): string | undefined {
  if (common === undefined) return `No ${name} is set, so nothing ends that this could put off.`;
  return until > common
    ? undefined
    : `The ${name} of all is not before: ${momentText(common)}. This gives no more time.`;
}

/**
 * Gives an app more time until a milestone; one that it has for the same is replaced.
 * @throws {ChangeRefused}
 */
export async function extendApp(context: Context, asked: Asked & { until: number }): Promise<Extended> {
  const { clientId, name, until, actor, requestId = null } = asked;
  const reason = checkedReason(asked.reason);
  return changeLifecycle(context, async (tx, now) => {
    await requireApp(tx, clientId);
    requireFuture(until, now);
    const before = await endExtensionOf(tx, { clientId, name, now, by: actor });
    const granted = { granted_by: actor, granted_at: now };
    await insertExtension(tx, { id: newHexId(), client_id: clientId, name, until, reason, ...granted });
    const was = before === undefined ? '' : `, was ${momentText(before)}`;
    const words = `${name}: until ${momentText(until)}${was}; ${reason}`;
    await recordEvent(context, tx, {
      at: now,
      actor,
      action: 'app_extended',
      reason: words,
      clientId,
      requestId,
    });
    const dates = await datesIn(tx);
    return { before, warning: warningFor(name, until, dates[name]) };
  });
}

/**
 * Lets the date of all apply to an app again; answers until when it had more time.
 * @throws {ChangeRefused}
 */
export async function endExtension(context: Context, asked: Asked): Promise<{ before: number }> {
  const { clientId, name, actor, requestId = null } = asked;
  const reason = checkedReason(asked.reason);
  return changeLifecycle(context, async (tx, now) => {
    await requireApp(tx, clientId);
    const before = await endExtensionOf(tx, { clientId, name, now, by: actor });
    if (before === undefined)
      throw new ChangeRefused(`The app has no more time for the ${name} than all have.`);
    const words = `${name}: the extension until ${momentText(before)} is ended; ${reason}`;
    await recordEvent(context, tx, {
      at: now,
      actor,
      action: 'extension_ended',
      reason: words,
      clientId,
      requestId,
    });
    return { before };
  });
}
