import type { Context } from '../../domain/context.ts';
import type { DeskPage } from '../../domain/support/desks-pages.ts';
import type { Desk } from '../../domain/support/desks.ts';
import {
  doubtful,
  endedToday,
  endingExtensions,
  nobodysTokens,
  unconfirmed,
  undeliverable,
  waitingApps,
} from '../../domain/support/desks-lists.ts';
import {
  doubtRow,
  endedRow,
  extensionRow,
  handoverRow,
  nobodysRow,
  type ShownRow,
  undeliverableRow,
  waitingRow,
} from './desk-rows.ts';
import { CAUSES } from './desk-words.ts';

/** One page of each desk, in words. */

interface Asked {
  /** The place that the page before named. */
  after: string | undefined;
  /** Of the ends of today: one cause alone. */
  cause: string | undefined;
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
  rowOf: (row: Row, now: number) => ShownRow,
  now: number,
): DeskList {
  return { ...page, rows: rows.map((row) => rowOf(row, now)), causes: [] };
}

function causeLines(counts: ReadonlyMap<string, number>, asked: string | undefined): CauseLine[] {
  return Object.entries(CAUSES).map(([cause, { label }]) => ({
    label,
    count: counts.get(cause) ?? 0,
    href: `/support/desks/died-today?cause=${cause}`,
    isShown: cause === asked,
  }));
}

async function endedList(context: Context, { after, cause }: Asked): Promise<DeskList> {
  const asked = cause !== undefined && Object.hasOwn(CAUSES, cause) ? cause : undefined;
  const { causes, ...page } = await endedToday(context, after, asked);
  return { ...shown(page, endedRow, context.clock.now()), causes: causeLines(causes, asked) };
}

const LISTS: Record<Desk, (context: Context, asked: Asked, now: number) => Promise<DeskList>> = {
  'in-doubt': async (context, { after }, now) => shown(await doubtful(context, after), doubtRow, now),
  'died-today': endedList,
  undeliverable: async (context, { after }, now) =>
    shown(await undeliverable(context, after), undeliverableRow, now),
  'no-account': async (context, { after }, now) =>
    shown(await nobodysTokens(context, after), nobodysRow, now),
  'hand-overs': async (context, { after }, now) => shown(await unconfirmed(context, after), handoverRow, now),
  waiting: async (context, { after }, now) => shown(await waitingApps(context, after), waitingRow, now),
  extensions: async (context, { after }, now) =>
    shown(await endingExtensions(context, after), extensionRow, now),
};

/** The page of a desk that was asked for. */
export function deskList(context: Context, desk: Desk, asked: Asked): Promise<DeskList> {
  return LISTS[desk](context, asked, context.clock.now());
}
