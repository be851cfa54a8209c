import type { Database } from '../../store/driver/store.ts';
import { isAnyImportedByKey } from '../../store/history/imported-by-key.ts';
import { settledPairs } from '../../store/tokens/settled-pairs.ts';
import { tokensAtApps } from '../../store/tokens/pinned-things.ts';
import { isKeyActor } from '../history/key-actor.ts';

/**
 * What a key of the staff API leaves to staff: to bring a token that a key imported to a connection. Both keys may be one
 * that was stolen, and the token one of the thief's own choice (docs/decisions/0037).
 */

/** What a program is told whose key may not assign a token. */
export const ASSIGNMENT_LEFT =
  'A key imported the token, and the app and the account are connected. So staff decide about the token, on its page or by the command tokens assign. Nothing was changed.';

/** What a program is told whose key may not pin an address. */
export const PIN_LEFT =
  'Under this address waits a token that a key imported, and the account has connected the app of that token. So staff decide about the address, on the page of the token or by the command accounts pin. Nothing was changed.';

async function connectedApps(tx: Database, accountId: string): Promise<string[]> {
  return (await settledPairs(tx, [accountId])).map(({ clientId }) => clientId);
}

/** Whether the actor may not assign the token to the app. */
export async function isAssignmentLeft(
  tx: Database,
  actor: string,
  to: { mappingId: string; clientId: string; accountId: string | null },
): Promise<boolean> {
  if (!isKeyActor(actor) || to.accountId === null) return false;
  const apps = await connectedApps(tx, to.accountId);
  return apps.includes(to.clientId) && isAnyImportedByKey(tx, [to.mappingId]);
}

/** Whether the actor may not give the account what waits under an address in lower case. */
export async function isPinLeft(
  tx: Database,
  actor: string,
  { email, accountId }: { email: string; accountId: string },
): Promise<boolean> {
  if (!isKeyActor(actor)) return false;
  const apps = await connectedApps(tx, accountId);
  return isAnyImportedByKey(tx, await tokensAtApps(tx, email, apps));
}
