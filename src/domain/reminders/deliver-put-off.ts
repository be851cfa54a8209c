import { DAY, MINUTE } from '../../shared/lifetimes.ts';
import { type ClaimedMail, putOffMail } from '../../store/reminders/mails.ts';
import type { RemindersDeps } from './deps.ts';
import type { DeliveryOutcome } from './deliver-outcome.ts';
import { nextMorning } from './local-days.ts';

/** Puts mails off after a failure that may pass, for longer each time. */

const FIRST_WAIT = 1 * MINUTE;
const LONGEST_WAIT = 240 * MINUTE;

/** RFC 5321 §4.5.4.1: a sender gives up after four to five days at the earliest. */
export const GIVE_UP_AFTER = 5 * DAY;

/** Age alone is not enough: a machine that was off for days made no attempts in that time. */
const ATTEMPTS_LEAST = 12;

/** The wait in milliseconds after this number of attempts. `chance` in [0, 1) spreads mails that failed together. */
function waitAfter(attempts: number, chance: number): number {
  const ceiling = Math.min(FIRST_WAIT * 2 ** Math.min(attempts - 1, 20), LONGEST_WAIT);
  return Math.floor(ceiling * (0.75 + chance / 2));
}

/** Whether a mail has failed for so long that it is given up. */
export function isHopeless({ created_at, attempts }: ClaimedMail, now: number): boolean {
  return now - created_at >= GIVE_UP_AFTER && attempts >= ATTEMPTS_LEAST;
}

/** Gives a claimed mail back until its next attempt. */
export async function putOffReminder(
  context: RemindersDeps,
  mail: ClaimedMail,
  failure: string,
): Promise<DeliveryOutcome> {
  const nextAt = context.clock.now() + waitAfter(mail.attempts, context.chance());
  await putOffMail(context.store.aside, mail, { nextAt, failure });
  return 'putOff';
}

/** Gives a claimed mail back until nine in the morning of a time zone. The claim does not count as an attempt. */
export async function putOffToMorning(
  context: RemindersDeps,
  mail: ClaimedMail,
  zone: string,
): Promise<DeliveryOutcome> {
  const nextAt = nextMorning(context.clock.now(), zone);
  const { failure, attempts } = mail;
  await putOffMail(context.store.aside, mail, { nextAt, failure, attempts: attempts - 1 });
  return 'putOff';
}

/** Gives a claimed mail back at once, because the process stops. The claim does not count as an attempt. */
export async function giveBack(context: RemindersDeps, mail: ClaimedMail): Promise<DeliveryOutcome> {
  const { failure, attempts } = mail;
  const nextAt = context.clock.now();
  await putOffMail(context.store.aside, mail, { nextAt, failure, attempts: attempts - 1 });
  return 'putOff';
}
