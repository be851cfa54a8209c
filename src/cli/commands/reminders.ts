import { type Config, readConfig } from '../../config/config.ts';
import type { Context } from '../../domain/context.ts';
import { resumeMails } from '../../domain/reminders/stop-mails.ts';
import { type DeliveryCounts, deliverReminders } from '../../domain/reminders/deliver.ts';
import {
  type FailedMail,
  listUndeliverable,
  UNDELIVERABLE_SHOWN,
} from '../../domain/reminders/deliver-undeliverable.ts';
import { planReminders } from '../../domain/reminders/plan-reminders.ts';
import { printable, shown } from './dates/moment-option.ts';
import { contextOn, dayGiven, USED_AS_NOW } from './dates/on-day.ts';
import type { Result } from './result.ts';
import { withContext } from './with-context.ts';

/** `reminders`: the recipients and reasons of reminders, by hand and for any day. */

function told(made: number, delivered: DeliveryCounts) {
  const { sent, dropped, putOff, passedOn, undeliverable } = delivered;
  const counts = `${sent} sent, ${dropped} dropped, ${putOff} put off, ${passedOn} passed on to a contact, ${undeliverable} undeliverable`;
  const json = { planned: made, sent, dropped, put_off: putOff, passed_on: passedOn, undeliverable };
  return { lines: [`${made} planned; ${counts}.`], json };
}

function refusal(words: string): Result {
  return { ok: false, lines: [words], json: { refused: words } };
}

async function triedOn(context: Context, config: Config, on: number): Promise<Result> {
  if (config.production && !context.instance.isCopy())
    return refusal(
      'The ledger would count people as told who got no mail. Nothing was changed. Use reminders plan --on, or a restored copy of the database.',
    );
  const thatDay = contextOn(context, config, on);
  const made = await planReminders(thatDay);
  const { lines, json } = told(made, await deliverReminders(thatDay, { isDryRun: true }));
  const folder = thatDay.mailer.directory ?? '';
  const where = `No mail left this machine. The mails are files in ${folder}, and the ledger counts them as sent.`;
  return {
    ok: true,
    lines: [...lines, where, USED_AS_NOW],
    json: { ...json, at: shown(on), directory: folder },
  };
}

async function sentNow(context: Context): Promise<Result> {
  const why = context.instance.why();
  if (why !== undefined)
    return refusal(
      `This database is a restored copy (${why}), and a copy sends nothing. To write the mails to files, use reminders run --on.`,
    );
  if (!context.settings.sendsReminders)
    return refusal(
      'SMTP_URL names no mail server. Nobody would get a mail, and the ledger would count everybody as told. Nothing was changed.',
    );
  const made = await planReminders(context);
  const { lines, json } = told(made, await deliverReminders(context));
  const { directory } = context.mailer;
  const where = directory === undefined ? [] : [`Without SMTP_URL the mails are files in ${directory}.`];
  return { ok: true, lines: [...lines, ...where], json: { ...json, directory: directory ?? null } };
}

/**
 * `reminders run [--on MOMENT]`: plans and sends now. For another day the mails become files, and the database counts
 * them as sent. In production only a copy allows another day.
 */
export async function runReminders(options: Record<string, unknown>): Promise<Result> {
  const on = dayGiven(options['on']);
  return withContext(({ context }) =>
    on === undefined ? sentNow(context) : triedOn(context, readConfig(), on),
  );
}

function jsonOfUnreached({ mailId, person, day, at, failure, reminders }: FailedMail) {
  return {
    mail_id: mailId,
    person,
    day,
    at: shown(at),
    failure,
    reminders: reminders.map(({ clientId, appName, role, stage, plannedFor }) => ({
      client_id: clientId,
      app: appName,
      role,
      stage,
      planned_for: plannedFor,
    })),
  };
}

/** `reminders undeliverable`: the newest undeliverable mails. */
export async function listUnreached(): Promise<Result> {
  return withContext(async ({ context }) => {
    const found = await listUndeliverable(context);
    const mails = found.mails.map(jsonOfUnreached);
    const lines = mails.flatMap(({ day, person, failure, reminders }) => [
      `${day}  ${person}  ${failure}`,
      ...reminders.map((one) => `    ${one.app} (${one.client_id}), ${one.role}: stage ${one.stage}`),
    ]);
    if (found.isMore) lines.push(`More mails reached nobody. These are the newest ${UNDELIVERABLE_SHOWN}.`);
    // An empty list does not mean that all mails arrived: mails may wait, and perhaps no mail was planned.
    const none = 'No undeliverable mail waits for support.';
    const json = { mails, has_more: found.isMore };
    return { ok: true, lines: lines.length > 0 ? lines.map(printable) : [none], json };
  });
}

/** `reminders resume ADDRESS`: takes back a “not me” (domain/reminders/stop-mails.ts). */
export async function resume(_options: Record<string, unknown>, [address = '']: string[]): Promise<Result> {
  return withContext(async ({ context }) => {
    const isResumed = await resumeMails(context, { address, actor: 'command', requestId: null });
    const line = isResumed
      ? 'Reminders to this address are sent again.'
      : 'Nobody has stopped reminders to this address.';
    return { ok: isResumed, lines: [line], json: { resumed: isResumed } };
  });
}
