import { MINUTE } from '../../shared/lifetimes.ts';
import type { MailOutcome } from '../../shared/metrics/mail-metrics.ts';
import { MailError } from '../../shared/mail/mail-error.ts';
import { type ClaimedMail, noteAddress } from '../../store/reminders/mails.ts';
import { LEAKED_STAGE } from '../../store/reminders/leak-readers.ts';
import type { RemindersDeps } from './deps.ts';
import { isForContact } from './asked.ts';
import type { DeliveryOutcome } from './deliver-outcome.ts';
import { findAddress } from './deliver-address.ts';
import { namesOfMail } from './find-people.ts';
import { lookAgain, lookAgainAtLeaks } from './deliver-look-again.ts';
import { passToNextContact } from './deliver-pass-on.ts';
import { giveBack, isHopeless, putOffReminder, putOffToMorning } from './deliver-put-off.ts';
import { afterDoubt, endAsTold, isDoubtOver, markDoubtful, markSent } from './deliver-sent.ts';
import { composeLeakLetter } from './leaked/compose-leak-letter.ts';
import { leakReader } from './leaked/leak-reader.ts';
import { composeLetter, type Letter } from './letter/compose.ts';
import type { ReminderPerson } from './people.ts';
import { isTimeToMail } from './plan-stages.ts';

/** Handles one claimed mail, from the last check of its reminders to its outcome. */

/** A process that was held up for longer might lose its claim while it sends, so it puts the mail off instead. */
const BEGIN_WITHIN = 1 * MINUTE;

/** A contact of an app is not told the name of the person in whose place the contact gets the mail. */
function readerOf({ person, mail, address }: MailDelivery): ReminderPerson {
  return isForContact(mail)
    ? { ...person, address, name: undefined, isContact: true }
    : { ...person, address };
}

/** A mail with its reader, and with how it is written. */
interface WrittenMail {
  mail: ClaimedMail;
  person: ReminderPerson;
  claimedAt: number;
  /** The apps that it is about. */
  clientIds: string[];
  compose: (reader: ReminderPerson) => Promise<Letter>;
}

type MailDelivery = WrittenMail & { address: string };

/**
 * Stores the address of the mail, then sends the mail. The “Not you?” link of a mail stops the stored address.
 * @throws {MailError} the mail was not handed over
 */
async function handOver(context: RemindersDeps, turn: MailDelivery): Promise<'handedOver' | 'late' | 'left'> {
  const { mail, address, claimedAt } = turn;
  const { subject, text, html, calendar, headers } = await turn.compose(readerOf(turn));
  if (!(await noteAddress(context.store.aside, mail, address))) return 'left';
  if (context.clock.elapsed() - claimedAt > BEGIN_WITHIN) return 'late';
  await context.mailer.send({
    to: address,
    subject,
    text,
    html,
    calendar,
    headers,
    sender: context.settings.serviceName,
    messageId: mail.id,
  });
  return 'handedOver';
}

async function afterFailure(
  context: RemindersDeps,
  { mail, address, clientIds }: MailDelivery,
  error: MailError,
): Promise<DeliveryOutcome> {
  const failure = error.short;
  if (context.shutdown.signal.aborted && !error.isInDoubt) return giveBack(context, mail);
  context.logger.warn('a mail server did not take a reminder', {
    mailId: mail.id,
    clientIds,
    attempts: mail.attempts,
    error,
  });
  if (!error.isRefused) context.metrics.mails.noteHandOver('not_taken');
  if (error.isInDoubt) return afterDoubt(context, mail);
  const isRefused = error.isRefused || (error.isAboutMail && isHopeless(mail, context.clock.now()));
  if (isRefused) return passToNextContact(context, mail, { address, failure });
  return putOffReminder(context, mail, failure);
}

/** For a mail that could not be made. The mail would fail for any other address too, so no contact is tried. */
async function afterNotMade(
  context: RemindersDeps,
  mail: ClaimedMail,
  failure: string,
): Promise<DeliveryOutcome> {
  const now = context.clock.now();
  if (!isHopeless(mail, now)) return putOffReminder(context, mail, failure);
  const names = await namesOfMail(context, mail);
  const isEnded = await context.store.aside
    .transaction()
    .execute((tx) => endAsTold(tx, mail, { state: 'undeliverable', now, failure, names }));
  return isEnded ? 'undeliverable' : 'left';
}

async function attemptAt(context: RemindersDeps, turn: MailDelivery): Promise<DeliveryOutcome> {
  const { mail } = turn;
  try {
    const end = await handOver(context, turn);
    if (end === 'late') return await afterNotMade(context, mail, 'the mail took too long to make');
    if (end === 'left') return end;
    context.metrics.mails.noteHandOver('taken');
    return await markSent(context, mail, { names: turn.person.aliases });
  } catch (error) {
    if (error instanceof MailError && !error.isOurs) return afterFailure(context, turn, error);
    throw error;
  }
}

async function sendTo(context: RemindersDeps, written: WrittenMail): Promise<DeliveryOutcome> {
  const { mail, person } = written;
  const { address, failure } = await findAddress(context, mail, person);
  if (failure !== undefined) return passToNextContact(context, mail, { address, failure });
  return attemptAt(context, { ...written, address });
}

/** More apps are not named in a line. */
const APPS_NAMED = 20;

const appsOf = (clientIds: readonly string[]) => [...new Set(clientIds)].slice(0, APPS_NAMED);

/** The turn of one mail. */
interface MailTurn {
  claimedAt: number;
  /** The stages that the mail tells of, once they are known. */
  stages: Set<string>;
}

async function attempt(
  context: RemindersDeps,
  mail: ClaimedMail,
  { claimedAt, stages }: MailTurn,
): Promise<DeliveryOutcome> {
  if (isDoubtOver(mail)) return markDoubtful(context, mail);
  const leaks = await lookAgainAtLeaks(context, mail);
  if (leaks !== undefined) {
    stages.add(LEAKED_STAGE);
    if (typeof leaks === 'string') return leaks;
    const compose = (person: ReminderPerson) =>
      composeLeakLetter(context, { mailId: mail.id, person, reminders: leaks });
    const clientIds = appsOf(leaks.map((leak) => leak.client_id));
    return sendTo(context, { mail, person: await leakReader(context, mail), claimedAt, clientIds, compose });
  }
  const held = await lookAgain(context, mail);
  if (typeof held === 'string') return held;
  for (const { stage } of held.due) stages.add(stage);
  // A mail that was put off or claimed late may come up at night. A mail that can wait is not sent at night.
  if (!isTimeToMail(held.person, held.due, { now: context.clock.now() }))
    return putOffToMorning(context, mail, held.person.zone);
  const { person, due } = held;
  const compose = (reader: ReminderPerson) =>
    composeLetter(context, { mailId: mail.id, person: reader, due });
  const clientIds = appsOf(due.map(({ clientId }) => clientId));
  return sendTo(context, { mail, person, claimedAt, clientIds, compose });
}

/** The kind and stack of an error, without the message, which may repeat text of a mail. */
function placeOf(error: unknown): { kind: string; at: string[] } {
  const { name, stack = '' } = error instanceof Error ? error : new Error('not an error');
  return { kind: name, at: stack.split('\n').filter((line) => /^ {4}at /.test(line)) };
}

async function bringToEnd(
  context: RemindersDeps,
  mail: ClaimedMail,
  turn: MailTurn,
): Promise<DeliveryOutcome> {
  const { id: mailId, attempts } = mail;
  try {
    return await attempt(context, mail, turn);
  } catch (error) {
    context.logger.error('a reminder could not be made', { mailId, attempts, ...placeOf(error) });
    // When the database is away, the claim expires.
    return afterNotMade(context, mail, 'the mail could not be made').catch(() => 'left');
  }
}

/** The outcomes as the metrics name them. */
const COUNTED_AS: Record<DeliveryOutcome, MailOutcome> = {
  sent: 'sent',
  dropped: 'dropped',
  putOff: 'put_off',
  passedOn: 'passed_on',
  undeliverable: 'undeliverable',
  left: 'left',
};

/**
 * Brings one claimed mail to its outcome, or puts the mail off; never rejects. `claimedAt` is a value of
 * `clock.elapsed()` from before the claim.
 */
export async function deliverOne(
  context: RemindersDeps,
  mail: ClaimedMail,
  claimedAt: number,
): Promise<DeliveryOutcome> {
  const stages = new Set<string>();
  const outcome = await bringToEnd(context, mail, { claimedAt, stages });
  context.metrics.mails.note(stages, COUNTED_AS[outcome]);
  return outcome;
}
