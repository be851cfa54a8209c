import { listUndeliverableMails } from '../../store/reminders/mails.ts';
import type { RemindersDeps } from './deps.ts';

/** The mails that reached no person, for support. */

export interface FailedMail {
  mailId: string;
  /** `account:ID`, or `email:ADDRESS`. */
  person: string;
  /** The day in the person's zone, `YYYY-MM-DD`. */
  day: string;
  at: number;
  /** Why the mail failed, in a few words. */
  failure: string;
  reminders: Array<{ clientId: string; appName: string; role: string; stage: string; plannedFor: string }>;
}

/** The most mails of one list. */
export const UNDELIVERABLE_SHOWN = 500;

/** The newest mails that reached no person and that support has not dealt with, newest first; `isMore`: there are others. */
export async function listUndeliverable(
  context: RemindersDeps,
): Promise<{ mails: FailedMail[]; isMore: boolean }> {
  const found = await listUndeliverableMails(context.store.durable, UNDELIVERABLE_SHOWN + 1);
  const mails = found
    .slice(0, UNDELIVERABLE_SHOWN)
    .map(({ id, person, day, ended_at, failure, reminders }) => ({
      mailId: id,
      person,
      day,
      at: ended_at,
      failure: failure ?? '',
      reminders: reminders.map(({ client_id, name, role, stage, planned_for }) => ({
        clientId: client_id,
        appName: name,
        role,
        stage,
        plannedFor: planned_for,
      })),
    }));
  return { mails, isMore: found.length > mails.length };
}
