import { changeRetired } from '../../store/apps/apps.ts';
import type { Database } from '../../store/driver/store.ts';
import { appWithId } from '../../store/support/support-search.ts';
import { checkedReason } from '../history/reason.ts';
import { recordDeed } from '../history/record-deed.ts';
import { recordEvent } from '../history/record-event.ts';
import type { Origin } from '../origin.ts';
import type { AppsDeps } from './deps.ts';

/**
 * The operator retires an app that nobody should use any more. The app is refused everywhere from the next call on, and
 * nothing ends at the new API (docs/decisions/0040).
 */

interface RetireRequest extends Origin {
  clientId: string;
  reason: string;
}

interface RetiredApp {
  appName: string;
  retiredAt: number;
  /** Names what can be taken back; undefined where the app was retired before. */
  deed: string | undefined;
}

async function retireIn(
  context: AppsDeps,
  tx: Database,
  { clientId, reason, actor, requestId }: RetireRequest,
): Promise<RetiredApp | 'unknown app'> {
  const app = await appWithId(tx, clientId);
  if (!app || app.source === 'observed') return 'unknown app';
  const { name: appName, retired_at: before } = app;
  if (before !== null) return { appName, retiredAt: before, deed: undefined };
  const at = context.clock.now();
  // In this transaction nothing else writes: another one has to wait, or meets this one as a conflict and is run again.
  if (!(await changeRetired(tx, clientId, { from: null, to: at })))
    throw new Error(`app ${clientId} was changed in its own transaction`);
  const entry = await recordEvent(context, tx, {
    at,
    actor,
    requestId,
    clientId,
    action: 'app_retired',
    reason,
  });
  const part = {
    entry,
    thing: 'app' as const,
    subject: clientId,
    clientId,
    was: { at: null },
    left: { at },
  };
  return { appName, retiredAt: at, deed: await recordDeed(tx, { kind: 'retire', at, actor, parts: [part] }) };
}

/**
 * Retires an app that was registered or imported.
 * @throws {ReasonRefused}
 */
export function retireApp(context: AppsDeps, asked: RetireRequest): Promise<RetiredApp | 'unknown app'> {
  const reason = checkedReason(asked.reason);
  return context.store.transaction((tx) => retireIn(context, tx, { ...asked, reason }));
}
