import { normalEmail } from '../../shared/mail/address.ts';
import {
  clearAccess,
  type ContactRow,
  countUnprovenShares,
  findAccess,
  isShareUnproven,
  listContactRows,
  listSharedApps,
  lostAddress,
  setAccess,
} from '../../store/apps/shared-apps.ts';
import { appsSharedByOwner, isShareRefused } from '../../store/apps/refused-apps.ts';
import type { ContactAccess } from '../../store/tables/existing-token-tables.ts';
import type { Database } from '../../store/driver/store.ts';
import type { Origin } from '../origin.ts';
import type { AppsDeps } from './deps.ts';
import { isContact } from './app-contacts.ts';
import { stillHasAddress } from '../accounts/current-address.ts';
import { recordEvent } from '../history/record-event.ts';

/**
 * Who may open the pages of an app (docs/decisions/0035): its owner, and the contacts to whom the owner gave them. A
 * contact is an e-mail address. Only the account that has proven the address since, and still has it, gets the pages.
 */

export { lostAddress };
export type { ContactAccess, ContactRow };

/** What a person may do on the pages of an app. */
export type AppAccess = 'owner' | ContactAccess;

/** Whether a person may act on an app: not only see it. */
export const mayManage = (access: AppAccess | undefined): boolean =>
  access === 'owner' || access === 'manage';

interface AppReader {
  accountId: string;
  email: string;
}

/** What a person may do on the pages of an app, read anew at each request; undefined where they are not theirs. */
export async function accessTo(
  { store }: Pick<AppsDeps, 'store'>,
  app: { client_id: string; owner_account_id: string | null },
  reader: AppReader,
): Promise<AppAccess | undefined> {
  const { accountId, email } = reader;
  if (app.owner_account_id === accountId) return 'owner';
  const person = { clientId: app.client_id, accountId, email: normalEmail(email) };
  const given = await findAccess(store.durable, person);
  if (given.length === 0 || !(await stillHasAddress({ store }, reader))) return undefined;
  return given.includes('manage') ? 'manage' : given[0];
}

/** The contacts of an app, with what each may do. */
export function contactsWithAccess({ store }: AppsDeps, clientId: string): Promise<ContactRow[]> {
  return listContactRows(store.durable, clientId);
}

interface AccessChange extends Origin {
  clientId: string;
  address: string;
}

/** An owner shares at most so many apps with one address. Those that the person left count too. */
export const OWNER_SHARES_MAX = 20;

type ShareRefusal = 'left' | 'too many';

/** Why an owner cannot share an app with an address, whoever has it. */
async function whyNotShared(
  tx: Database,
  { clientId, owner, email }: { clientId: string; owner: string; email: string },
): Promise<ShareRefusal | undefined> {
  if (await isShareRefused(tx, { clientId, email })) return 'left';
  const shared = await appsSharedByOwner(tx, { owner, email });
  return shared.length >= OWNER_SHARES_MAX && !shared.includes(clientId) ? 'too many' : undefined;
}

/** Gives a contact the pages of an app. Only `given` means a change. */
export async function giveAccess(
  context: AppsDeps,
  { clientId, address, access, owner, ...origin }: AccessChange & { access: ContactAccess; owner: string },
): Promise<'given' | 'unchanged' | 'malformed' | ShareRefusal> {
  // An imported contact may be any text.
  if (!isContact(address)) return 'malformed';
  return context.store.transaction(async (tx) => {
    const given = { clientId, address, access, email: normalEmail(address) };
    const refusal = await whyNotShared(tx, { ...given, owner });
    if (refusal) return refusal;
    if (!(await setAccess(tx, given))) return 'unchanged';
    const change = { ...origin, at: context.clock.now(), clientId };
    await recordEvent(context, tx, { ...change, action: 'access_given', reason: `${access}: ${address}` });
    return 'given';
  });
}

/** Takes the pages of an app away from a contact, who still gets its mails. False where the contact had none. */
export async function takeAccess(
  context: AppsDeps,
  { clientId, address, ...origin }: AccessChange,
): Promise<boolean> {
  return context.store.transaction(async (tx) => {
    if (!(await clearAccess(tx, { clientId, address }))) return false;
    const change = { ...origin, at: context.clock.now(), clientId };
    await recordEvent(context, tx, { ...change, action: 'access_taken', reason: address });
    return true;
  });
}

/** Whether an app is shared with the address of a person who has still to prove it. */
export async function isSharedUnproven({ store }: AppsDeps, email: string): Promise<boolean> {
  const address = normalEmail(email);
  return address !== '' && isShareUnproven(store.durable, address);
}

/** How many apps are shared with an address that nobody has proven. */
export function countSharedUnproven({ store }: AppsDeps, email: string): Promise<number> {
  return countUnprovenShares(store.durable, normalEmail(email));
}

export interface SharedApp {
  clientId: string;
  name: string;
  access: ContactAccess;
}

/** A person is shown at most so many shared apps. */
const SHARED_MAX = 200;

/** The apps that are shared with a person, by name, each once. */
export async function appsSharedWith({ store }: AppsDeps, reader: AppReader): Promise<SharedApp[]> {
  const { accountId, email } = reader;
  if (!(await stillHasAddress({ store }, reader))) return [];
  const holder = { accountId, email: normalEmail(email) };
  const rows = await listSharedApps(store.durable, holder, SHARED_MAX);
  const apps = new Map<string, SharedApp>();
  for (const { client_id: clientId, name, access } of rows)
    if (access && apps.get(clientId)?.access !== 'manage') apps.set(clientId, { clientId, name, access });
  return [...apps.values()];
}
