import { newHexId } from '../../shared/ids.ts';
import { isMailAddress, normalEmail } from '../../shared/mail/address.ts';
import {
  type ClaimedMail,
  contactsOf,
  endMail,
  insertReplacement,
  moveReminders,
  refusedAddresses,
} from '../../store/reminders/mails.ts';
import { outdateOtherDays, readRemindersOf, type ReminderRow } from '../../store/reminders/reminders.ts';
import { stoppedAmong } from '../../store/reminders/stopped-addresses.ts';
import type { Database } from '../../store/driver/store.ts';
import { inPlaceOf } from './asked.ts';
import type { RemindersDeps } from './deps.ts';
import type { DeliveryOutcome } from './deliver-outcome.ts';
import { endAsTold } from './deliver-sent.ts';
import { namesOfMail } from './find-people.ts';
import { groupBy } from '../../shared/group-by.ts';

/**
 * Passes on the reminders of a mail whose address takes no mails. A reminder for an owner goes to the next contact of
 * the app. A reminder without another reader goes to support.
 */

interface AddressRefusal {
  address: string | undefined;
  failure: string;
}

/** The group of reminders without another reader. */
const NOBODY = '';

type NextContact = (clientId: string) => string | undefined;

/** The first contact of an app that wants reminders and has refused no mail for this person on this day. */
async function findContacts(tx: Database, mail: ClaimedMail, refusal: AddressRefusal): Promise<NextContact> {
  const owned = (await readRemindersOf(tx, mail.id)).filter(({ role }) => role === 'owner');
  const contacts = await contactsOf(tx, [...new Set(owned.map(({ client_id }) => client_id))]);
  const refused = [...(await refusedAddresses(tx, mail)), refusal.address ?? ''].map(normalEmail);
  const stopped = await stoppedAmong(
    tx,
    contacts.map(({ address }) => normalEmail(address)),
  );
  const takes = (address: string) =>
    isMailAddress(address) && !refused.includes(normalEmail(address)) && !stopped.has(normalEmail(address));
  return (clientId) =>
    contacts.find(({ client_id, address }) => client_id === clientId && takes(address))?.address;
}

/** Groups reminders by the normalised address of the next reader. */
function groupByNext(reminders: readonly ReminderRow[], contacts: NextContact): Map<string, ReminderRow[]> {
  return groupBy(reminders, ({ role, client_id: clientId }) => {
    const contact = role === 'owner' ? contacts(clientId) : undefined;
    return contact === undefined ? NOBODY : normalEmail(contact);
  });
}

type ReplacementInput = { mail: ClaimedMail; names: readonly string[]; failure: string; now: number };

/** Several mails may replace one mail. `replaces` must be unique, so each mail after the first adds a number. */
async function replace(
  tx: Database,
  groups: Map<string, ReminderRow[]>,
  { mail, names, failure, now }: ReplacementInput,
): Promise<void> {
  const { person, day } = mail;
  for (const [index, [address, reminders]] of [...groups].entries()) {
    const id = newHexId();
    const ending =
      address === NOBODY
        ? { address: null, state: 'undeliverable' as const, failure, ended_at: now }
        : { address, state: 'due' as const, failure: null, ended_at: null };
    const replaces = index === 0 ? inPlaceOf(mail) : `${inPlaceOf(mail)}/${index + 1}`;
    await insertReplacement(tx, { id, person, day, replaces, next_at: now, created_at: now, ...ending });
    const ids = reminders.map((reminder) => reminder.id);
    await moveReminders(tx, ids, id);
    // Whoever is listed for support counts as told.
    if (address === NOBODY) await outdateOtherDays(tx, { mailId: id, person, names, now });
  }
}

/** Ends a claimed mail that its address does not take, and passes its reminders on, in one transaction. */
export async function passToNextContact(
  context: RemindersDeps,
  mail: ClaimedMail,
  refusal: AddressRefusal,
): Promise<DeliveryOutcome> {
  const now = context.clock.now();
  const { failure } = refusal;
  const names = await namesOfMail(context, mail);
  const ending = { now, failure, address: refusal.address ?? null };
  return context.store.transaction(async (tx) => {
    const contacts = await findContacts(tx, mail, refusal);
    const groups = groupByNext(await readRemindersOf(tx, mail.id), contacts);
    const isForNobody = [...groups.keys()].every((address) => address === NOBODY);
    if (isForNobody)
      return (await endAsTold(tx, mail, { ...ending, names, state: 'undeliverable' }))
        ? 'undeliverable'
        : 'left';
    if (!(await endMail(tx, mail, { ...ending, state: 'refused' }))) return 'left';
    await replace(tx, groups, { mail, names, failure, now });
    return 'passedOn';
  });
}
