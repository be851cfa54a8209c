import { newHexId } from '../shared/ids.ts';
import { insertEvents } from '../store/events.ts';
import type { Database } from '../store/store.ts';
import type { Event } from '../store/tables.ts';
import type { Context } from './context.ts';

/**
 * The history (design 5): one entry for each change of a mapping, grant, app or key, in the transaction of the change
 * itself, and never a secret. Each entry carries a witness under the history key, so that one which was written or
 * edited past the bridge is found even before the chain has it (seal-history.ts).
 */

/** One change: what was done, by whom, why, to what. */
export interface Change {
  at: number;
  /** `account:ID`, `app:ID`, `bridge`, `command` … */
  actor: string;
  action: string;
  reason: string;
  requestId?: string | null;
  clientId?: string | null;
  accountId?: string | null;
  grantId?: string | null;
  mappingId?: string | null;
}

/** What an entry says, as the one text that its witness is over. */
export function textOfEvent(event: Omit<Event, 'id' | 'witness' | 'position' | 'chain'>): string {
  return JSON.stringify([
    event.uid,
    event.at,
    event.actor,
    event.action,
    event.client_id,
    event.account_id,
    event.grant_id,
    event.mapping_id,
    event.reason,
    event.request_id,
  ]);
}

function eventOf({ vault }: Pick<Context, 'vault'>, change: Change) {
  const event = {
    uid: newHexId(),
    at: change.at,
    actor: change.actor,
    action: change.action,
    client_id: change.clientId ?? null,
    account_id: change.accountId ?? null,
    grant_id: change.grantId ?? null,
    mapping_id: change.mappingId ?? null,
    reason: change.reason,
    request_id: change.requestId ?? null,
  };
  return { ...event, witness: vault.witness(textOfEvent(event)) };
}

/** Writes the entries of many changes, in their transaction. */
export async function recordEvents(
  context: Pick<Context, 'vault'>,
  tx: Database,
  changes: readonly Change[],
): Promise<void> {
  await insertEvents(
    tx,
    changes.map((change) => eventOf(context, change)),
  );
}

/** Writes the entry of one change, in its transaction. */
export async function recordEvent(
  context: Pick<Context, 'vault'>,
  tx: Database,
  change: Change,
): Promise<void> {
  await recordEvents(context, tx, [change]);
}
