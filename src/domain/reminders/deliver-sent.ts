import { setTimeout as delay } from 'node:timers/promises';
import { SECOND } from '../../shared/lifetimes.ts';
import { type ClaimedMail, countDoubt, endMail, type MailEnd } from '../../store/reminders/mails.ts';
import { outdateOtherDays } from '../../store/reminders/reminders.ts';
import type { Database } from '../../store/driver/store.ts';
import type { RemindersDeps } from './deps.ts';
import type { DeliveryOutcome } from './deliver-outcome.ts';
import { namesOfMail } from './find-people.ts';
import { putOffReminder } from './deliver-put-off.ts';

/** Records mails that a mail server has, or may have. A mail that was not recorded would be sent again. */

/** The waits before new attempts to record a mail, while the claim lasts: the database may be away for a moment. */
const KEEP_AGAIN_AFTER = [1 * SECOND, 4 * SECOND, 15 * SECOND, 40 * SECOND];

/**
 * The limit of sends whose answer was lost. Without a limit, a reader behind a server that loses every answer would get
 * the mail again and again.
 */
const IN_DOUBT_MOST = 2;

const NOT_CONFIRMED = 'the mail server did not confirm it';

async function keep<T>(
  context: RemindersDeps,
  mail: ClaimedMail,
  work: () => Promise<T>,
): Promise<T | undefined> {
  for (const wait of [...KEEP_AGAIN_AFTER, undefined]) {
    try {
      return await work();
    } catch (error) {
      context.logger.error('a reminder was sent and could not be marked as sent', { mailId: mail.id, error });
      if (wait === undefined) break;
      await delay(wait);
    }
  }
  return undefined;
}

interface ToldMailEnd extends MailEnd {
  state: 'sent' | 'undeliverable';
  /** All names under which the ledger knows the person. */
  names: readonly string[];
}

/**
 * Ends a claimed mail whose reminders count as told from now on; false when another process has the claim. What the person
 * was told of other days of the same dates counts no more: a date that moves back is told again. Needs a transaction.
 */
export async function endAsTold(tx: Database, mail: ClaimedMail, ending: ToldMailEnd): Promise<boolean> {
  const { names, ...end } = ending;
  if (!(await endMail(tx, mail, end))) return false;
  await outdateOtherDays(tx, { mailId: mail.id, person: mail.person, names, now: end.now });
  return true;
}

/**
 * Ends a claimed mail that a server has; `failure` says what is uncertain about the sending. The names of its person are
 * looked up where they are not given.
 */
export async function markSent(
  context: RemindersDeps,
  mail: ClaimedMail,
  { failure = null, names: known }: Partial<Pick<ToldMailEnd, 'failure' | 'names'>> = {},
): Promise<DeliveryOutcome> {
  const end = async () => {
    const names = known ?? (await namesOfMail(context, mail));
    const ending = { state: 'sent', now: context.clock.now(), failure, names } as const;
    return context.store.aside.transaction().execute((tx) => endAsTold(tx, mail, ending));
  };
  return (await keep(context, mail, end)) === true ? 'sent' : 'left';
}

/**
 * Whether a mail was in doubt as often as allowed. When such a mail is claimed, its last process died before the mail
 * was ended.
 */
export const isDoubtOver = ({ in_doubt }: Pick<ClaimedMail, 'in_doubt'>): boolean =>
  in_doubt >= IN_DOUBT_MOST;

/** Ends a mail that may have been sent twice. */
export const markDoubtful = (context: RemindersDeps, mail: ClaimedMail): Promise<DeliveryOutcome> =>
  markSent(context, mail, { failure: NOT_CONFIRMED });

/** For a mail that a server received whole without an answer: the mail is sent once more, and then counts as sent. */
export async function afterDoubt(context: RemindersDeps, mail: ClaimedMail): Promise<DeliveryOutcome> {
  const count = await keep(context, mail, () => countDoubt(context.store.aside, mail));
  if (count === undefined) return 'left';
  if (isDoubtOver({ in_doubt: count })) return markDoubtful(context, mail);
  return putOffReminder(context, mail, NOT_CONFIRMED);
}
