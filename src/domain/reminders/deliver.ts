import { newHexId } from '../../shared/ids.ts';
import { MINUTE } from '../../shared/lifetimes.ts';
import { HAND_OVER_LIMIT, type Mail, MAILS_AT_ONCE } from '../../shared/mail/mailer.ts';
import { type ClaimedMail, claimMail } from '../../store/reminders/mails.ts';
import type { RemindersDeps } from './deps.ts';
import { deliverOne } from './deliver-one.ts';
import type { DeliveryOutcome } from './deliver-outcome.ts';

/**
 * Sends the mails. One process claims each mail before sending and marks the mail afterwards. When the process dies in
 * between, its claim expires, and the mail goes out again under the same Message-ID (docs/decisions/0023).
 */

export type DeliveryCounts = Record<Exclude<DeliveryOutcome, 'left'>, number>;

/** Longer than the look-up of a person and the sending of a mail may take together. */
const CLAIM_LIMIT = HAND_OVER_LIMIT + 2 * MINUTE;

export interface DeliveryOptions {
  /** For a rehearsal of another day, in which the mails of this context go to files. Works on a restored copy too. */
  isDryRun?: boolean;
}

interface Run {
  context: RemindersDeps;
  isDryRun: boolean;
  delivered: DeliveryCounts;
}

async function claimNext({ context, isDryRun }: Run): Promise<ClaimedMail | undefined> {
  const now = context.clock.now();
  const instance = isDryRun ? undefined : context.instance.seen();
  return claimMail(context.store.aside, { claimId: newHexId(), now, until: now + CLAIM_LIMIT, instance });
}

async function deliverInTurn(run: Run): Promise<void> {
  const { context, delivered } = run;
  while (!context.shutdown.signal.aborted) {
    const claimedAt = context.clock.elapsed();
    const mail = await claimNext(run);
    if (!mail) return;
    const outcome = await deliverOne(context, mail, claimedAt);
    if (outcome !== 'left') delivered[outcome] += 1;
  }
}

/**
 * Sends every due mail, until no mail is left or the process stops; on a restored copy no mail.
 * @returns how many mails had which outcome; `passedOn` went to an app's next contact
 */
export async function deliverReminders(
  context: RemindersDeps,
  { isDryRun = false }: DeliveryOptions = {},
): Promise<DeliveryCounts> {
  const delivered: DeliveryCounts = { sent: 0, dropped: 0, putOff: 0, passedOn: 0, undeliverable: 0 };
  if (!isDryRun && context.instance.why() !== undefined) return delivered;
  const post = context.mailer.openRun(context.shutdown.signal);
  const mailer = { ...context.mailer, send: (mail: Mail) => post.send(mail) };
  const run = { context: { ...context, mailer }, isDryRun, delivered };
  const turns = Array.from({ length: MAILS_AT_ONCE }, () => deliverInTurn(run));
  const ends = await Promise.allSettled(turns);
  post.close();
  for (const end of ends) if (end.status === 'rejected') throw end.reason;
  return delivered;
}
