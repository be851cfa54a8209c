import { normalEmail } from '../../shared/mail/address.ts';
import { deleteSharedContact, isShareRefused, listSharedByOwner } from '../../store/apps/refused-apps.ts';
import type { Database } from '../../store/driver/store.ts';
import { recordEvents } from '../history/record-event.ts';
import type { Origin } from '../origin.ts';
import type { AppsDeps } from './deps.ts';

/**
 * A person leaves an app that was shared with them (docs/decisions/0035): it is gone from their pages, they are no
 * contact of it any more, and its owner cannot share it with their address again until they allow it.
 */

interface SharedWithPerson extends Origin {
  app: { client_id: string; owner_account_id: string | null };
  accountId: string;
  email: string;
}

/** The apps that the owner of this one shares with the person: this one alone where nobody owns it. */
export async function sharedBySameOwner(
  { store }: Pick<AppsDeps, 'store'>,
  { app, accountId, email }: Omit<SharedWithPerson, keyof Origin>,
  db: Database = store.durable,
): Promise<string[]> {
  const { client_id: clientId, owner_account_id: owner } = app;
  if (owner === null) return [clientId];
  const all = await listSharedByOwner(db, { owner, accountId, email: normalEmail(email) });
  return all.includes(clientId) ? all : [clientId];
}

/** Leaves the app, or all that its owner shares with the person. How many were left: none where it was not shared. */
export async function leaveApp(
  context: AppsDeps,
  { isAll, ...shared }: SharedWithPerson & { isAll: boolean },
): Promise<number> {
  const { app, accountId, actor, requestId } = shared;
  const email = normalEmail(shared.email);
  return context.store.transaction(async (tx) => {
    const meant = isAll ? await sharedBySameOwner(context, shared, tx) : [app.client_id];
    let left = 0;
    for (const clientId of meant) {
      if (!(await deleteSharedContact(tx, { clientId, accountId, email }))) continue;
      left += 1;
      const change = { actor, requestId, at: context.clock.now(), clientId, accountId, reason: email };
      await recordEvents(context, tx, [
        { ...change, action: 'access_taken' },
        { ...change, action: 'contact_removed' },
        { ...change, action: 'access_refused' },
      ]);
    }
    return left;
  });
}

/** Whether a person refused an app, which its owner cannot share with them then. The account counts: an address may be claimed. */
export async function refusesApp(
  { store }: Pick<AppsDeps, 'store'>,
  { clientId, accountId, email }: { clientId: string; accountId: string; email: string },
): Promise<boolean> {
  return isShareRefused(store.durable, { clientId, email: normalEmail(email), by: accountId });
}

/** Lets the owner share the app with the person again. False where the person did not refuse it. */
export async function allowAppAgain(
  context: AppsDeps,
  { app, accountId, email, ...origin }: SharedWithPerson,
): Promise<boolean> {
  const pair = { clientId: app.client_id, email: normalEmail(email), by: accountId };
  return context.store.transaction(async (tx) => {
    if (!(await isShareRefused(tx, pair))) return false;
    const change = { ...origin, at: context.clock.now(), clientId: pair.clientId, accountId };
    await recordEvents(context, tx, [{ ...change, action: 'access_allowed', reason: pair.email }]);
    return true;
  });
}
