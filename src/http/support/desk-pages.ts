import type { Context } from '../../domain/context.ts';
import type { StaffRole } from '../../domain/staff.ts';
import type { DeskPage } from '../../domain/support/desks-pages.ts';
import type { Desk } from '../../domain/support/desks.ts';
import {
  doubtful,
  endedToday,
  endingExtensions,
  nobodysTokens,
  unconfirmed,
  undeliverable,
  unprovenTokens,
  waitingApps,
} from '../../domain/support/desks-lists.ts';
import { ENDS } from '../tokens/ends.ts';
import {
  doubtRow,
  endedRow,
  extensionRow,
  handoverRow,
  nobodysRow,
  undeliverableRow,
  unprovenRow,
  waitingRow,
} from './desk-rows.ts';
import type { Seen, ShownRow } from './desk-parts.ts';
import { footingFor } from './token-line.ts';

/** One page of each desk, in words. */

interface Asked {
  /** The place that the page before named. */
  after: string | undefined;
  /** Of the ends of today: one cause alone. */
  cause: string | undefined;
}

interface AskedBy extends Asked {
  role: StaffRole;
}

/** How many ended today of one cause, with where they stand. */
interface CauseLine {
  label: string;
  count: number;
  href: string;
  isShown: boolean;
}

export interface DeskList extends Omit<DeskPage<unknown>, 'rows'> {
  rows: ShownRow[];
  causes: CauseLine[];
}

function shown<Row>(
  { rows, ...page }: DeskPage<Row>,
  rowOf: (row: Row, seen: Seen) => ShownRow,
  seen: Seen,
): DeskList {
  return { ...page, rows: rows.map((row) => rowOf(row, seen)), causes: [] };
}

function causeLines(counts: ReadonlyMap<string, number>, asked: string | undefined): CauseLine[] {
  return Object.entries(ENDS).map(([cause, { label }]) => ({
    label,
    count: counts.get(cause) ?? 0,
    href: `/support/desks/died-today?cause=${cause}`,
    isShown: cause === asked,
  }));
}

async function endedList(context: Context, { after, cause }: Asked, seen: Seen): Promise<DeskList> {
  const asked = cause !== undefined && Object.hasOwn(ENDS, cause) ? cause : undefined;
  const { causes, ...page } = await endedToday(context, after, asked);
  return { ...shown(page, endedRow, seen), causes: causeLines(causes, asked) };
}

const LISTS: Record<Desk, (context: Context, asked: Asked, seen: Seen) => Promise<DeskList>> = {
  'in-doubt': async (context, { after }, seen) => shown(await doubtful(context, after), doubtRow, seen),
  'died-today': endedList,
  undeliverable: async (context, { after }, seen) =>
    shown(await undeliverable(context, after), undeliverableRow, seen),
  'no-account': async (context, { after }, seen) =>
    shown(await nobodysTokens(context, after), nobodysRow, seen),
  'hand-overs': async (context, { after }, seen) =>
    shown(await unconfirmed(context, after), handoverRow, seen),
  waiting: async (context, { after }, seen) => shown(await waitingApps(context, after), waitingRow, seen),
  extensions: async (context, { after }, seen) =>
    shown(await endingExtensions(context, after), extensionRow, seen),
  unproven: async (context, { after }, seen) =>
    shown(await unprovenTokens(context, after), unprovenRow, seen),
};

/** The page of a desk that was asked for. */
export function deskList(context: Context, desk: Desk, { role, ...asked }: AskedBy): Promise<DeskList> {
  const isEnded = (clientId: string) => footingFor(context, clientId).phase === 'ended';
  return LISTS[desk](context, asked, { now: context.clock.now(), role, isEnded });
}
