import {
  findModernClientOf,
  listClientsOf,
  type ModernClientRow,
  retireClientSecret,
  setHandovers,
} from '../../store/apps/modern-clients.ts';
import type { HandoverDeps } from './deps.ts';
import type { Origin } from '../origin.ts';
import { recordEvent } from '../history/record-event.ts';

/**
 * The owner's decisions about the present and former clients of an app at the new API. A client that consents no longer
 * use takes no token pairs, unless the owner lets its hand-overs go on. Retiring a secret or ending hand-overs changes
 * nothing for account holders: the client's grants stay, and the bridge goes on refreshing them.
 */

/** A client of an app as its owner sees the client. */
export interface OwnClientView {
  id: string;
  /** Whether consents for the app use the client now. */
  isInUse: boolean;
  /** Whether the client may take token pairs although consents no longer use the client. */
  keepsHandovers: boolean;
  /** The state of the client's secret at the exchange; a public client has none. */
  secret: 'none' | 'taken' | 'retired';
}

function secretOf({
  secret_sealed: sealed,
  secret_retired_at: retiredAt,
}: ModernClientRow): OwnClientView['secret'] {
  if (sealed === null) return 'none';
  return retiredAt === null ? 'taken' : 'retired';
}

/** All present and former clients of an app, the client that was entered last first. */
export async function ownClientsOf(
  { store }: Pick<HandoverDeps, 'store'>,
  clientId: string,
): Promise<OwnClientView[]> {
  const rows = await listClientsOf(store.durable, clientId);
  return rows.map((row) => {
    const { id, in_use: inUse, keeps_handovers: keeps } = row;
    return { id, isInUse: inUse === id, keepsHandovers: keeps === 1, secret: secretOf(row) };
  });
}

interface FormerClientRequest extends Origin {
  /** The app. */
  clientId: string;
  modernClientId: string;
}

/** Lets the hand-overs of a former client go on, or ends them. False when nothing changed. */
export async function decideHandovers(
  context: HandoverDeps,
  { clientId, modernClientId: id, actor, requestId }: FormerClientRequest,
  goOn: boolean,
): Promise<boolean> {
  return context.store.transaction(async (tx) => {
    if ((await findModernClientOf(tx, clientId))?.id === id) return false;
    if (!(await setHandovers(tx, { id, clientId }, goOn))) return false;
    const action = goOn ? 'modern_client_handovers_kept' : 'modern_client_handovers_ended';
    const decided = { actor, requestId, action, reason: `client ${id}`, clientId };
    await recordEvent(context, tx, { at: context.clock.now(), ...decided });
    return true;
  });
}

/** Makes the exchange refuse the secret of a client, until another secret is entered. False when nothing changed. */
export async function retireModernSecret(
  context: HandoverDeps,
  { clientId, modernClientId: id, actor, requestId }: FormerClientRequest,
): Promise<boolean> {
  return context.store.transaction(async (tx) => {
    const now = context.clock.now();
    if (!(await retireClientSecret(tx, { id, clientId }, now))) return false;
    const by = { at: now, actor, requestId };
    const retired = { action: 'modern_client_secret_retired', reason: `client ${id}`, clientId };
    await recordEvent(context, tx, { ...by, ...retired });
    return true;
  });
}
