import { newOrderedId } from '../../shared/ids.ts';
import { Refusal } from '../../shared/refusals/refusal.ts';
import { insertDeed } from '../../store/history/deeds.ts';
import type { Database } from '../../store/driver/store.ts';
import type { DeedKind, DeedLoss, DeedThing } from '../../store/tables/deeds.ts';

/**
 * What an action has changed, kept beside its entries in the history, so that it can be taken back (docs/decisions/0036).
 * The entries tell people; these rows hold each thing as it was, and as the action left it.
 */

/** The action cannot be taken back. The message says why, in whole sentences; nothing was changed. */
export class TakeBackRefused extends Refusal {}

/** One changed thing. */
export interface DeedPart {
  /** The name of the entry that tells the change. */
  entry: string;
  thing: DeedThing;
  subject: string;
  clientId?: string | null;
  was: object;
  left: object;
}

interface NewDeed {
  kind: DeedKind;
  at: number;
  actor: string;
  /** Why it can never be taken back. */
  lost?: DeedLoss | undefined;
  parts: readonly DeedPart[];
}

/** More parts than this are not kept, and then nothing is taken back. */
const PARTS_MAX = 1000;

/** Keeps what an action changed, in its transaction. Returns the id of the deed. */
export async function recordDeed(tx: Database, { kind, at, actor, lost, parts }: NewDeed): Promise<string> {
  const id = newOrderedId(at);
  const isTooMuch = parts.length > PARTS_MAX;
  const kept = isTooMuch ? parts.slice(0, PARTS_MAX) : parts;
  const rows = kept.map(({ entry, thing, subject, clientId = null, was, left }) => ({
    entry_uid: entry,
    deed_id: id,
    thing,
    subject,
    client_id: clientId,
    was: JSON.stringify(was),
    left_as: JSON.stringify(left),
  }));
  const deed = { id, kind, done_at: at, actor, lost: lost ?? (isTooMuch ? ('too_many' as const) : null) };
  await insertDeed(tx, deed, rows);
  return id;
}
