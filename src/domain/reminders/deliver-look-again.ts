import { normalEmail } from '../../shared/mail/address.ts';
import {
  type ClaimedMail,
  contactsOf,
  dropReminders,
  endMail,
  isHeldBy,
} from '../../store/reminders/mails.ts';
import { LEAKED_STAGE } from '../../store/reminders/leak-readers.ts';
import { listLiveApps } from '../../store/reminders/reminder-people.ts';
import { insertReminders, readRemindersOf, type ReminderRow } from '../../store/reminders/reminders.ts';
import type { RemindersDeps } from './deps.ts';
import { isForContact } from './asked.ts';
import { ofOtherReaders } from './leaked/leak-reader.ts';
import type { DueStage, ReminderPerson } from './people.ts';
import { remindersIn, stillDue } from './plan-reminders.ts';

/** Checks before sending which reminders of a claimed mail are still due. */

export interface PersonReminders {
  person: ReminderPerson;
  due: DueStage[];
}

/** The reminders of a mail to a contact that are about apps without this contact by now. */
async function notTheirs({ store }: RemindersDeps, mail: ClaimedMail): Promise<ReminderRow[]> {
  if (!isForContact(mail)) return [];
  const reminders = await readRemindersOf(store.durable, mail.id);
  const contacts = await contactsOf(store.durable, [...new Set(reminders.map((one) => one.client_id))]);
  const reader = normalEmail(mail.address ?? '');
  const theirs = contacts.filter(({ address }) => normalEmail(address) === reader);
  const own = new Set(theirs.map(({ client_id }) => client_id));
  return reminders.filter(({ client_id }) => !own.has(client_id));
}

interface ReminderCheck extends PersonReminders {
  /** The ids of the reminders that this mail no longer needs. */
  gone: string[];
  /** The stages that the mail can tell too. */
  fresh: DueStage[];
}

async function look(context: RemindersDeps, mail: ClaimedMail): Promise<ReminderCheck | undefined> {
  const held = await stillDue(context, mail);
  if (!held) return undefined;
  const strangers = await notTheirs(context, mail);
  const apps = new Set(strangers.map(({ client_id }) => client_id));
  const gone = [...new Set([...held.gone, ...strangers.map(({ id }) => id)])];
  const theirs = ({ clientId }: DueStage) => !apps.has(clientId);
  return { person: held.person, due: held.due.filter(theirs), gone, fresh: held.fresh.filter(theirs) };
}

/**
 * Looks again, and puts into the mail what has come due meanwhile. No other mail tells these stages while this one is
 * under way, and a mail that is put off keeps its age, by which it is given up, whatever stage it has come to. A mail that may have
 * arrived takes nothing in: mail programs show one mail of the same Message-ID, the first.
 */
async function lookAndAdd(
  context: RemindersDeps,
  mail: ClaimedMail,
): Promise<ReminderCheck | 'left' | undefined> {
  const seen = await look(context, mail);
  if (!seen || seen.fresh.length === 0 || mail.in_doubt > 0) return seen;
  const rows = remindersIn(mail, seen.fresh, context.clock.now());
  const isOurs = await context.store.transaction(async (tx) => {
    const isHeld = await isHeldBy(tx, mail);
    if (isHeld) await insertReminders(tx, rows);
    return isHeld;
  });
  return isOurs ? look(context, mail) : 'left';
}

/** Drops the reminders that a mail no longer needs. Without any other the mail ends, under the claim. */
async function keepOrDrop<Held extends { gone: string[] }>(
  context: RemindersDeps,
  mail: ClaimedMail,
  held: Held | undefined,
): Promise<Held | 'dropped' | 'left'> {
  if (held?.gone.length === 0) return held;
  const now = context.clock.now();
  return context.store.transaction(async (tx) => {
    const isOurs = held ? await isHeldBy(tx, mail) : await endMail(tx, mail, { state: 'dropped', now });
    if (!isOurs) return 'left';
    await dropReminders(tx, { mailId: mail.id, now, ...(held && { ids: held.gone }) });
    return held ?? 'dropped';
  });
}

/**
 * The reminders of a mail that are due, and their reader; what came due since the planning is added. The other reminders
 * are dropped, and the planner plans them again if somebody still needs them. A mail without due reminders ends in the same
 * transaction, under the claim.
 */
export async function lookAgain(
  context: RemindersDeps,
  mail: ClaimedMail,
): Promise<PersonReminders | 'dropped' | 'left'> {
  const seen = await lookAndAdd(context, mail);
  if (seen === 'left') return seen;
  return keepOrDrop(context, mail, seen && seen.due.length > 0 ? seen : undefined);
}

/** The reminders about retired apps. Their pages are gone, so the links of a mail would lead nowhere. */
async function ofRetired(
  { store }: RemindersDeps,
  reminders: readonly ReminderRow[],
): Promise<ReminderRow[]> {
  const live = await listLiveApps(
    store.durable,
    reminders.map((one) => one.client_id),
  );
  const ids = new Set(live.map(({ client_id: id }) => id));
  return reminders.filter(({ client_id: id }) => !ids.has(id));
}

/**
 * The reminders of a mail about leaked tokens; undefined for every other mail. Whoever is not the holder or owner any more is
 * not told, nor a contact whom the app does not have any more, and nobody of a retired app: its token stays untold until
 * the retirement is taken back.
 */
export async function lookAgainAtLeaks(
  context: RemindersDeps,
  mail: ClaimedMail,
): Promise<readonly ReminderRow[] | 'dropped' | 'left' | undefined> {
  const rows = await readRemindersOf(context.store.durable, mail.id);
  const leaks = rows.filter(({ stage }) => stage === LEAKED_STAGE);
  if (leaks.length === 0) return undefined;
  const untold = [
    ...(await notTheirs(context, mail)),
    ...(await ofOtherReaders(context, mail, leaks)),
    ...(await ofRetired(context, leaks)),
  ];
  const gone = new Set(untold.map(({ id }) => id));
  const left = leaks.filter(({ id }) => !gone.has(id));
  const kept = left.length > 0 ? { gone: [...gone], left } : undefined;
  const held = await keepOrDrop(context, mail, kept);
  return typeof held === 'string' ? held : held.left;
}
