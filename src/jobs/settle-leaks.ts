import type { Context } from '../domain/context.ts';
import { endLeakedTokens } from '../domain/leaks/end-leaked-tokens.ts';
import { planLeakMails } from '../domain/reminders/leaked/plan-leak-mails.ts';

/**
 * Revokes leaked tokens whose time has come, and plans the mails about leaked tokens. A restored copy does neither: it
 * serves no call, and ends nothing by itself before its take-over.
 */
export async function settleLeaks(context: Context): Promise<void> {
  if (context.instance.isCopy()) return;
  await endLeakedTokens(context);
  if (context.settings.sendsReminders) await planLeakMails(context);
}
