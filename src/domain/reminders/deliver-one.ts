import { setTimeout as delay } from 'node:timers/promises';
import { MINUTE, SECOND } from '../../shared/lifetimes.ts';
import { MailError } from '../../shared/mail/mail-error.ts';
import { type ClaimedMail, dropReminders, endMail } from '../../store/mails.ts';
import type { Context } from '../context.ts';
import type { Outcome } from './deliver-outcome.ts';
import { findAddress } from './deliver-address.ts';
import { passOn } from './deliver-onwards.ts';
import { isHopeless, putOffReminder } from './deliver-put-off.ts';
import { composeLetter } from './letter/compose.ts';
import type { Due, Person } from './people.ts';
import { stillDue } from './plan-reminders.ts';

/** One claimed mail, from the last look at what it is about to its end. */

/** A process that was held up for longer may not be the only one any more: it leaves the mail to whoever comes next. */
const BEGIN_WITHIN = 1 * MINUTE;

/** What a mail that has left is tried to be marked with, while its claim lasts. */
const MARK_AGAIN_AFTER = [1 * SECOND, 4 * SECOND, 15 * SECOND, 40 * SECOND];

interface Held {
  person: Person;
  due: Due[];
}

/** What still has to be said, and to whom; the rest is taken back. */
async function lookAgain(context: Context, mail: ClaimedMail): Promise<Held | undefined> {
  const held = await stillDue(context, mail);
  const { aside } = context.store;
  const taken = { mailId: mail.id, now: context.clock.now() };
  if (!held || held.due.length === 0) {
    await dropReminders(aside, taken);
    return undefined;
  }
  await dropReminders(aside, { ...taken, ids: held.gone });
  return held;
}

/** A contact of an app is told of the app, not of the person in whose place they are asked. */
function readerOf({ person }: Held, mail: ClaimedMail, address: string): Person {
  return mail.replaces === '' ? { ...person, address } : { ...person, address, name: undefined };
}

/** It has left: forgetting that would send it again, so a database that is away for a moment is waited for. */
async function markSent(context: Context, mail: ClaimedMail, address: string): Promise<Outcome> {
  for (const wait of [...MARK_AGAIN_AFTER, undefined]) {
    try {
      const ending = { state: 'sent', now: context.clock.now(), address } as const;
      return (await endMail(context.store.aside, mail, ending)) ? 'sent' : 'left';
    } catch (error) {
      context.logger.error('a reminder has left and could not be marked', { mailId: mail.id, error });
      if (wait === undefined) break;
      await delay(wait);
    }
  }
  return 'left';
}

type Turn = Held & { mail: ClaimedMail; address: string; claimedAt: number };

/** @throws {MailError} it was not handed over */
async function handOver(context: Context, { mail, address, claimedAt, ...held }: Turn): Promise<boolean> {
  const person = readerOf(held, mail, address);
  const { subject, text, html, calendar, headers } = await composeLetter(context, {
    mailId: mail.id,
    person,
    due: held.due,
  });
  if (context.clock.elapsed() - claimedAt > BEGIN_WITHIN) return false;
  await context.mailer.send({
    to: address,
    subject,
    text,
    html,
    calendar,
    headers,
    sender: 'grantbridge',
    messageId: mail.id,
  });
  return true;
}

async function afterFailure(
  context: Context,
  mail: ClaimedMail,
  { address, error }: Failed,
): Promise<Outcome> {
  const failure = error.short;
  context.logger.warn('a reminder was not handed over', { mailId: mail.id, attempts: mail.attempts, error });
  const isRefused = error.isRefused || (error.isAboutMail && isHopeless(mail, context.clock.now()));
  if (isRefused) return passOn(context, mail, { address, failure });
  return putOffReminder(context, mail, failure);
}

interface Failed {
  address: string;
  error: MailError;
}

async function attempt(context: Context, mail: ClaimedMail, claimedAt: number): Promise<Outcome> {
  const held = await lookAgain(context, mail);
  if (!held) {
    const isEnded = await endMail(context.store.aside, mail, {
      state: 'dropped',
      now: context.clock.now(),
    });
    return isEnded ? 'dropped' : 'left';
  }
  const { address, failure } = await findAddress(context, mail, held.person);
  if (failure !== undefined) return passOn(context, mail, { address, failure });
  try {
    if (!(await handOver(context, { ...held, mail, address, claimedAt }))) return 'left';
  } catch (error) {
    if (error instanceof MailError) return afterFailure(context, mail, { address, error });
    throw error;
  }
  return markSent(context, mail, address);
}

/**
 * Takes one claimed mail to its end, or puts it off; never rejects. `claimedAt` is by `clock.elapsed()`, from before the
 * claim.
 */
export async function deliverOne(context: Context, mail: ClaimedMail, claimedAt: number): Promise<Outcome> {
  try {
    return await attempt(context, mail, claimedAt);
  } catch (error) {
    context.logger.error('a reminder could not be made', { mailId: mail.id, error });
    // Where the database is away the claim ends by itself.
    return putOffReminder(context, mail, 'the mail could not be made').catch(() => 'left');
  }
}
