import {
  findModernClientOf,
  listClientsOf,
  type ModernClientRow,
  retireClientSecret,
  setHandovers,
} from '../../store/apps/modern-clients.ts';
import type { Context } from '../context.ts';
import { recordEvent } from '../history/record-event.ts';

/**
 * What an owner decides of the clients that an app has, or had, of its own at the modern side. A client that consents no
 * longer name takes no pairs, unless its owner lets its hand-overs go on. Retiring a secret and ending hand-overs change
 * nothing for people: the grants of the client stay, and the bridge goes on renewing them.
 */

/** A client of an app as its owner sees it. */
export interface OwnClient {
  id: string;
  /** Whether consents for the app name it now. */
  isInUse: boolean;
  /** Whether it may take pairs, although it is not in use. */
  keepsHandovers: boolean;
  /** How its secret stands at the exchange; a public client has none. */
  secret: 'none' | 'taken' | 'retired';
}

function secretOf({
  secret_sealed: sealed,
  secret_retired_at: retiredAt,
}: ModernClientRow): OwnClient['secret'] {
  if (sealed === null) return 'none';
  return retiredAt === null ? 'taken' : 'retired';
}

/** All clients that an app has or had, the one that was entered last first. */
export async function ownClientsOf(
  { store }: Pick<Context, 'store'>,
  clientId: string,
): Promise<OwnClient[]> {
  const rows = await listClientsOf(store.durable, clientId);
  return rows.map((row) => {
    const { id, in_use: inUse, keeps_handovers: keeps } = row;
    return { id, isInUse: inUse === id, keepsHandovers: keeps === 1, secret: secretOf(row) };
  });
}

interface Decision {
  /** The app. */
  clientId: string;
  modernClientId: string;
  actor: string;
}

/** Lets the hand-overs of a client that is not used any more go on, or ends them; false when that changes nothing. */
export async function decideHandovers(
  context: Context,
  { clientId, modernClientId: id, actor }: Decision,
  goOn: boolean,
): Promise<boolean> {
  return context.store.transaction(async (tx) => {
    if ((await findModernClientOf(tx, clientId))?.id === id) return false;
    if (!(await setHandovers(tx, { id, clientId }, goOn))) return false;
    const action = goOn ? 'modern_client_handovers_kept' : 'modern_client_handovers_ended';
    const decided = { actor, action, reason: `client ${id}`, clientId };
    await recordEvent(context, tx, { at: context.clock.now(), ...decided });
    return true;
  });
}

/** Refuses the secret of a client at the exchange, until another one is entered; false when that changes nothing. */
export async function retireModernSecret(
  context: Context,
  { clientId, modernClientId: id, actor }: Decision,
): Promise<boolean> {
  return context.store.transaction(async (tx) => {
    const now = context.clock.now();
    if (!(await retireClientSecret(tx, { id, clientId }, now))) return false;
    const retired = { actor, action: 'modern_client_secret_retired', reason: `client ${id}`, clientId };
    await recordEvent(context, tx, { at: now, ...retired });
    return true;
  });
}
