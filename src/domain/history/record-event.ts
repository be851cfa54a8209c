import { newOrderedId } from '../../shared/ids.ts';
import { insertEvents } from '../../store/history/events.ts';
import type { Vault } from '../../shared/secrets.ts';
import type { Database } from '../../store/driver/store.ts';
import type { Event } from '../../store/tables/tables.ts';

/**
 * The history (docs/decisions/0011) has one entry for each change of a mapping, grant, account, app, key or date. The
 * entry is written in the transaction of the change and never holds a secret. Each entry carries a witness under the
 * history key. So an entry that somebody wrote or edited past the bridge is found even before it is chained
 * (seal-history.ts).
 */

/** One change: the action, the actor, the reason and the subject. */
export interface HistoryChange {
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

/** The content of an entry as one text. The witness is made over this text. */
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

/** A holder of the history key. */
interface HistoryWriter {
  vault: Pick<Vault, 'witness'>;
}

/**
 * The text as every database keeps it: without NUL and without half of a surrogate pair. Otherwise the witness would be
 * over another text.
 */
function storable(text: string): string {
  return Buffer.from(text.replaceAll('\0', '\u{FFFD}'), 'utf8').toString('utf8');
}

function orNull(text: string | null | undefined): string | null {
  return text === undefined || text === null ? null : storable(text);
}

function eventOf({ vault }: HistoryWriter, change: HistoryChange) {
  const event = {
    uid: newOrderedId(change.at),
    at: change.at,
    actor: storable(change.actor),
    action: change.action,
    client_id: orNull(change.clientId),
    account_id: orNull(change.accountId),
    grant_id: orNull(change.grantId),
    mapping_id: orNull(change.mappingId),
    reason: storable(change.reason),
    request_id: orNull(change.requestId),
    witness: '',
  };
  event.witness = vault.witness(textOfEvent(event));
  return event;
}

/** One change for each mapping, all with the content of the given change. */
export function ofMappings(change: HistoryChange, mappingIds: readonly string[]): HistoryChange[] {
  return mappingIds.map((mappingId) => ({ ...change, mappingId }));
}

/**
 * Writes the entries of many changes, in the transaction of the changes. Returns the names of the entries (`uid`), in
 * the order of the changes.
 */
export async function recordEvents(
  writer: HistoryWriter,
  tx: Database,
  changes: readonly HistoryChange[],
): Promise<string[]> {
  const events = changes.map((change) => eventOf(writer, change));
  await insertEvents(tx, events);
  return events.map(({ uid }) => uid);
}

/** Writes the entry of one change, in the transaction of the change. Returns the name of the entry (`uid`). */
export async function recordEvent(
  writer: HistoryWriter,
  tx: Database,
  change: HistoryChange,
): Promise<string> {
  const [uid = ''] = await recordEvents(writer, tx, [change]);
  return uid;
}
