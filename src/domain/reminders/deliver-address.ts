import { isMailAddress, normalEmail } from '../../shared/mail/address.ts';
import type { ClaimedMail } from '../../store/reminders/mails.ts';
import { stoppedAmong } from '../../store/reminders/stopped-addresses.ts';
import type { RemindersDeps } from './deps.ts';
import { isForContact } from './asked.ts';
import type { ReminderPerson } from './people.ts';

/** Finds the address of a mail at the time of sending. The address at the time of planning may be out of date. */

interface FoundAddress {
  address: string;
  failure: undefined;
}

interface AddressFailure {
  /** Undefined while no address is known. */
  address: string | undefined;
  /** Why no mail can be sent, in words that name no person. */
  failure: string;
}

/** The person's own address. A mail that replaces a refused mail goes to the app's contact. */
export async function findAddress(
  context: RemindersDeps,
  mail: ClaimedMail,
  person: ReminderPerson,
): Promise<FoundAddress | AddressFailure> {
  const own = person.address ?? person.closedAddress;
  const address = isForContact(mail) ? (mail.address ?? undefined) : own;
  if (address === undefined) return { address, failure: 'no address is known' };
  // The exact reason, for support to tell.
  if (!isMailAddress(address)) return { address, failure: 'the address is not usable' };
  const stopped = await stoppedAmong(context.store.durable, [normalEmail(address)]);
  if (stopped.size > 0) return { address, failure: 'the address wants no reminders' };
  return { address, failure: undefined };
}
