import type { Context } from '../domain/context.ts';
import { deliverReminders } from '../domain/reminders/deliver.ts';

/** Sends the mails that are due, and logs the outcome if there were any mails. */
export async function sendReminders(context: Context): Promise<void> {
  const delivered = await deliverReminders(context);
  if (Object.values(delivered).some((count) => count > 0)) context.logger.info('reminders left', delivered);
}
