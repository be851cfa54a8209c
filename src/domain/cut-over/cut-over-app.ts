import { changeCutOver } from '../../store/cut-over/cut-overs.ts';
import type { Context } from '../context.ts';
import { type By, ChangeRefused, requireIdentifiedApp } from '../lifecycle/changes/change-rules.ts';
import { recordEvent } from '../history/record-event.ts';
import { checkedReason } from '../history/reason.ts';

/** A change of how many of an app's accounts in a hundred the new API answers before the retirement. */
export interface CutOverChange extends By {
  clientId: string;
  /** A whole number from 0 to 100; 0 takes the cut-over back. */
  percent: number;
  /** The percentage that whoever decided this has seen. */
  before: number;
  reason: string;
}

/**
 * Changes how far an app is cut over. Every process reads the percentage with the token of each call, so that the next call
 * goes where this says.
 * @throws {ChangeRefused}
 */
export async function cutOverApp(context: Context, change: CutOverChange): Promise<void> {
  const { clientId, percent, before, actor, requestId = null } = change;
  const reason = checkedReason(change.reason);
  if (percent === before) throw new ChangeRefused(`The app is cut over to ${percent} % already.`);
  await context.store.transaction(async (tx) => {
    const now = context.clock.now();
    await requireIdentifiedApp(tx, clientId);
    const isChanged = await changeCutOver(tx, { clientId, percent, before, reason, by: actor, now });
    if (!isChanged) throw new ChangeRefused('The cut-over of the app was changed meanwhile.');
    const words = `${percent} % of the accounts, was ${before} %; ${reason}`;
    await recordEvent(context, tx, {
      at: now,
      actor,
      action: 'app_cut_over',
      reason: words,
      clientId,
      requestId,
    });
  });
}
