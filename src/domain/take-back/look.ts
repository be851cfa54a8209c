import { TAKE_BACK } from '../../shared/lifetimes.ts';
import type { Database } from '../../store/driver/store.ts';
import {
  confirmationsWithPair,
  type DeedRow,
  deedsOfEntries,
  type DeedWithEntry,
  listParts,
  newestDeedOn,
  type PartWithEntry,
} from '../../store/history/deeds.ts';
import type { DeedKind, DeedThing } from '../../store/tables/deeds.ts';
import type { StaffRole } from '../accounts/staff.ts';
import { yieldToEventLoop } from '../work/yield-to-event-loop.ts';
import type { TakeBackDeps } from './deps.ts';
import { KINDS, LOSSES, THINGS } from './kinds.ts';

/** What of the history can be taken back now, and why the rest cannot. Looks only; `take-back.ts` does it. */

/** A deed as it stands now. */
export interface DeedLook {
  /** The id of the entry in the history. */
  entryId: number;
  kind: DeedKind;
  needs: StaffRole;
  doneAt: number;
  until: number;
  /** Why it cannot be taken back; undefined where it can. */
  whyNot: string | undefined;
  isTakenBack: boolean;
  /** What the entry is about, and the reason that it has. */
  mappingId: string | null;
  clientId: string | null;
  accountId: string | null;
  reason: string | null;
}

interface LookScope {
  db: Database;
  now: number;
  by: string;
}

const OVER = 'It was done more than seven days ago.';

/** Each part is some statements, and SQLite holds up the process while a statement runs. */
const PARTS_AT_ONCE = 20;

/** Why the parts of a deed cannot be put back; undefined where they can. The process serves other work in between. */
export async function whyNotParts(
  scope: LookScope,
  deed: DeedRow,
  parts: readonly PartWithEntry[],
): Promise<string | undefined> {
  for (const [place, part] of parts.entries()) {
    const why = await THINGS[part.thing].whyNot({ ...scope, deed, part });
    if (why !== undefined) return why;
    if (place % PARTS_AT_ONCE === PARTS_AT_ONCE - 1) await yieldToEventLoop();
  }
  return undefined;
}

/** Why a deed cannot be taken back by itself, whatever became of its things. `within` is the time for it. */
export function whyNotDeed(deed: DeedRow, now: number, within = TAKE_BACK): string | undefined {
  if (deed.back_at !== null) return 'It was taken back already.';
  if (deed.lost !== null) return LOSSES[deed.lost];
  return deed.done_at <= now - within ? OVER : undefined;
}

async function whyNotNow(context: TakeBackDeps, deed: DeedRow): Promise<string | undefined> {
  const [db, now] = [context.store.durable, context.clock.now()];
  const own = whyNotDeed(deed, now);
  return own ?? whyNotParts({ db, now, by: '' }, deed, await listParts(db, deed.id));
}

const lookOf = (row: DeedWithEntry, whyNot: string | undefined): DeedLook => ({
  entryId: row.entry_id,
  kind: row.kind,
  needs: KINDS[row.kind].needs,
  doneAt: row.done_at,
  until: row.done_at + TAKE_BACK,
  whyNot,
  isTakenBack: row.back_at !== null,
  mappingId: row.mapping_id,
  clientId: row.client_id,
  accountId: row.account_id,
  reason: row.reason,
});

/** A page of the history may tell of one deed in each of its lines. It is looked at once. */
async function looksAt(context: TakeBackDeps, rows: readonly DeedWithEntry[]): Promise<DeedLook[]> {
  const whyNots = new Map<string, string | undefined>();
  for (const row of rows) if (!whyNots.has(row.id)) whyNots.set(row.id, await whyNotNow(context, row));
  return rows.map((row) => lookOf(row, whyNots.get(row.id)));
}

/** The deeds of these entries of the history, by the id of the entry. Other entries have none. */
export async function lookAtEntries(
  context: TakeBackDeps,
  entryIds: readonly number[],
): Promise<Map<number, DeedLook>> {
  const rows = await deedsOfEntries(context.store.durable, entryIds);
  const looks = await looksAt(context, rows);
  return new Map(looks.map((look) => [look.entryId, look]));
}

/** The deed of one entry. */
export async function lookAtEntry(context: TakeBackDeps, entryId: number): Promise<DeedLook | undefined> {
  return (await lookAtEntries(context, [entryId])).get(entryId);
}

/** A deed by its id, with the first of its entries. */
export async function lookAtDeed(context: TakeBackDeps, id: string): Promise<DeedLook | undefined> {
  const [first] = await listParts(context.store.durable, id);
  return first && lookAtEntry(context, first.entry_id);
}

/** The newest deed on a thing. */
export async function newestDeed(
  context: TakeBackDeps,
  thing: DeedThing,
  subject: string,
): Promise<DeedLook | undefined> {
  const row = await newestDeedOn(context.store.durable, thing, subject);
  return row && (await looksAt(context, [row]))[0];
}

/** The newest deeds on an app itself: that it was retired, and on its owner, its cut-over and its time for each date. */
export async function newestDeedsOfApp(context: TakeBackDeps, clientId: string): Promise<DeedLook[]> {
  const found = await Promise.all([
    newestDeed(context, 'app', clientId),
    newestDeed(context, 'owner', clientId),
    newestDeed(context, 'cut_over', clientId),
    newestDeed(context, 'extension', `${clientId} retirement`),
    newestDeed(context, 'extension', `${clientId} sunset`),
  ]);
  return found.filter((look) => look !== undefined);
}

const CONFIRMATIONS = 20;

interface OpenConfirmations {
  /** The newest first. */
  open: DeedLook[];
  /** The entry before which the next page begins; undefined where none follows. */
  next: number | undefined;
}

/**
 * The confirmations of hand-overs of an app in the last seven days that can be taken back, before an entry. Of many the
 * pair is erased already; the statement passes over these, so they hide none that can. It looks each of them up all the same.
 */
export async function openConfirmations(
  context: TakeBackDeps,
  clientId: string,
  before?: number,
): Promise<OpenConfirmations> {
  const after = context.clock.now() - TAKE_BACK;
  // One more than a page shows. What follows may be a page without any that can be taken back.
  const asked = { clientId, after, before, limit: CONFIRMATIONS + 1 };
  const rows = await confirmationsWithPair(context.store.durable, asked);
  const page = rows.slice(0, CONFIRMATIONS);
  const open = (await looksAt(context, page)).filter(({ whyNot }) => whyNot === undefined);
  return { open, next: rows.length > page.length ? page.at(-1)?.entry_id : undefined };
}

/** One confirmation of a hand-over of an app; undefined where it cannot be taken back, or is no such entry. */
export async function openConfirmation(
  context: TakeBackDeps,
  { clientId, entryId }: { clientId: string; entryId: number },
): Promise<DeedLook | undefined> {
  const look = Number.isSafeInteger(entryId) ? await lookAtEntry(context, entryId) : undefined;
  const isOpen = look?.kind === 'confirm' && look.clientId === clientId && look.whyNot === undefined;
  return isOpen ? look : undefined;
}
