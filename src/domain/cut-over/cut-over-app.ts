import { changeCutOver, cutOverOf } from '../../store/cut-over/cut-overs.ts';
import type { CutOverDeps } from './deps.ts';
import { type ChangeOrigin, ChangeRefused, requireIdentifiedApp } from '../lifecycle/changes/change-rules.ts';
import { recordDeed } from '../history/record-deed.ts';
import { recordEvent } from '../history/record-event.ts';
import { checkedReason } from '../history/reason.ts';

/** Changes the percentage of an app's accounts that the new API answers before the retirement. */
export interface CutOverChange extends ChangeOrigin {
  clientId: string;
  /** A whole number from 0 to 100. 0 ends the cut-over. */
  percent: number;
  /** The percentage that the person saw who decided the change. */
  before: number;
  reason: string;
}

/**
 * Changes the cut-over percentage of an app. Every process reads the percentage together with the token of each call,
 * therefore the change takes effect with the next call.
 * @throws {ChangeRefused}
 */
export async function cutOverApp(context: CutOverDeps, change: CutOverChange): Promise<void> {
  const { clientId, percent, before, actor, requestId = null } = change;
  const reason = checkedReason(change.reason);
  if (percent === before) throw new ChangeRefused(`The app is cut over to ${percent} % already.`);
  await context.store.transaction(async (tx) => {
    const now = context.clock.now();
    await requireIdentifiedApp(tx, clientId);
    const was = (await cutOverOf(tx, clientId)) ?? {};
    const isChanged = await changeCutOver(tx, { clientId, percent, before, reason, by: actor, now });
    if (!isChanged) throw new ChangeRefused('The cut-over of the app was changed meanwhile.');
    const words = `${percent} % of the accounts, was ${before} %; ${reason}`;
    const told = { at: now, actor, action: 'app_cut_over', reason: words, clientId, requestId };
    const entry = await recordEvent(context, tx, told);
    const left = (await cutOverOf(tx, clientId)) ?? {};
    const part = { entry, thing: 'cut_over' as const, subject: clientId, clientId, was, left };
    await recordDeed(tx, { kind: 'cut_over', at: now, actor, parts: [part] });
  });
}
