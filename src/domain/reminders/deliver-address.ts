import { isMailAddress, normalEmail } from '../../shared/mail/address.ts';
import type { ClaimedMail } from '../../store/reminders/mails.ts';
import { stoppedAmong } from '../../store/reminders/stopped-addresses.ts';
import type { Context } from '../context.ts';
import { isForContact } from './asked.ts';
import type { Person } from './people.ts';

/** Where a mail goes: what is known at the time of sending counts, not what was known when it was planned. */

interface Found {
  address: string;
  failure: undefined;
}

interface NotFound {
  /** Undefined where none is known. */
  address: string | undefined;
  /** Why nothing can be sent there, in words that name nobody. */
  failure: string;
}

/** The person's own address, or for a mail that replaces a refused one that of the app's contact. */
export async function findAddress(
  context: Context,
  mail: ClaimedMail,
  person: Person,
): Promise<Found | NotFound> {
  const address = isForContact(mail) ? (mail.address ?? undefined) : person.address;
  if (address === undefined) return { address, failure: 'no address is known' };
  // Some were imported as they were written long ago.
  if (!isMailAddress(address)) return { address, failure: 'the address is not usable' };
  const stopped = await stoppedAmong(context.store.durable, [normalEmail(address)]);
  if (stopped.size > 0) return { address, failure: 'the address wants no reminders' };
  return { address, failure: undefined };
}
