import { isMailAddress, normalEmail } from '../../shared/mail/address.ts';
import { tokensIn } from '../../shared/log/token-like.ts';
import { sha256Of } from '../../shared/secrets.ts';
import { deleteContact, listContacts } from '../../store/apps/app-contacts.ts';
import { insertContacts } from '../../store/apps/apps.ts';
import type { Origin } from '../origin.ts';
import type { AppsDeps } from './deps.ts';
import { recordEvent, recordEvents } from '../history/record-event.ts';

/** The people who get the mails about an app that cannot be delivered to its owner. An address must pass the rules of a registration. */

/** The most contacts that can be added to an app. An import may have brought more; those contacts stay. */
export const CONTACTS_MAX = 10;

interface Contact extends Origin {
  clientId: string;
  address: string;
}

/** Whether an address can get mails, and may stay in the history for ever. */
export function isContact(address: string): boolean {
  return isMailAddress(address) && tokensIn(address).length === 0;
}

/** Too few digits to look like a token, and enough that no two addresses share them. */
const FINGERPRINT_DIGITS = 24;

/**
 * How the history names a contact. An imported contact may be any text, and the history keeps no text with a part that
 * looks like a token. Its fingerprint is enough to know the contact again, which an import must not bring back.
 */
export function contactInHistory(address: string): string {
  if (isContact(address)) return address;
  const fingerprint = sha256Of(normalEmail(address)).toString('hex').slice(0, FINGERPRINT_DIGITS);
  return `an address that is not repeated here (fingerprint ${fingerprint})`;
}

/** Adds a contact. The same address in another case of letters is `known`. Only `added` means a change. */
export async function addContact(
  context: AppsDeps,
  { clientId, address, ...origin }: Contact,
): Promise<'added' | 'known' | 'full' | 'malformed'> {
  if (!isContact(address)) return 'malformed';
  return context.store.transaction(async (tx) => {
    const known = await listContacts(tx, clientId);
    if (known.some((one) => normalEmail(one) === normalEmail(address))) return 'known';
    if (known.length >= CONTACTS_MAX) return 'full';
    await insertContacts(tx, clientId, [address]);
    const change = { ...origin, at: context.clock.now(), clientId };
    await recordEvent(context, tx, { ...change, action: 'contact_added', reason: address });
    return 'added';
  });
}

/**
 * Removes a contact, and with it the access of the contact to the pages of the app. `has access`: nothing was removed,
 * because only who gives access may take it away.
 */
export async function removeContact(
  context: AppsDeps,
  { clientId, address, mayTakeAccess, ...origin }: Contact & { mayTakeAccess: boolean },
): Promise<'removed' | 'unknown' | 'has access'> {
  return context.store.transaction(async (tx) => {
    const removed = await deleteContact(tx, { clientId, address, isWithAccess: mayTakeAccess });
    if (!removed) return (await listContacts(tx, clientId)).includes(address) ? 'has access' : 'unknown';
    const change = { ...origin, at: context.clock.now(), clientId };
    const reason = contactInHistory(address);
    await recordEvents(context, tx, [
      ...(removed.access ? [{ ...change, action: 'access_taken', reason }] : []),
      { ...change, action: 'contact_removed', reason },
    ]);
    return 'removed';
  });
}
