import { isMailAddress, normalEmail } from '../../shared/mail/address.ts';
import { tokensIn } from '../../shared/log/token-like.ts';
import { deleteContact, listContacts } from '../../store/apps/app-contacts.ts';
import { insertContacts } from '../../store/apps/apps.ts';
import type { Context, Origin } from '../context.ts';
import { recordEvent } from '../history/record-event.ts';

/** Whom mails about an app go to beside its owner; by the rules of its registration. */

/** So many an app has at most; an import may have brought more, and they stay. */
export const CONTACTS_MAX = 10;

interface Contact extends Origin {
  clientId: string;
  address: string;
}

/** Whether mails can go there, and the history can keep it for ever. */
export function isContact(address: string): boolean {
  return isMailAddress(address) && tokensIn(address).length === 0;
}

/** The addresses of an app, in their order. */
export async function appContacts({ store }: Context, clientId: string): Promise<string[]> {
  return listContacts(store.durable, clientId);
}

/** Adds an address; the same one in other letters is `known`. Only `added` has changed anything. */
export async function addContact(
  context: Context,
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

/** Takes an address away; false when the app does not have it. */
export async function removeContact(
  context: Context,
  { clientId, address, ...origin }: Contact,
): Promise<boolean> {
  return context.store.transaction(async (tx) => {
    if (!(await listContacts(tx, clientId)).includes(address)) return false;
    await deleteContact(tx, clientId, address);
    const change = { ...origin, at: context.clock.now(), clientId };
    // One that an import brought may hold anything.
    const reason = isContact(address) ? address : 'an address that is not repeated here';
    await recordEvent(context, tx, { ...change, action: 'contact_removed', reason });
    return true;
  });
}
