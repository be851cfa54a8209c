import type { HttpSupportDeps } from '../deps.ts';
import type { StaffRole } from '../../../domain/accounts/staff.ts';
import type { DeskPage } from '../../../domain/support/desks-pages.ts';
import type { StackedDesk } from '../../../domain/support/desks.ts';
import {
  doubtful,
  endingExtensions,
  nobodysTokens,
  unconfirmed,
  undeliverable,
  unprovenTokens,
  waitingApps,
} from '../../../domain/support/desks-lists.ts';
import {
  doubtRow,
  extensionRow,
  handoverDeskRow,
  nobodysRow,
  undeliverableRow,
  unprovenRow,
  waitingRow,
} from './desk-rows.ts';
import type { DeskView, ShownRow } from './desk-parts.ts';
import { oldApiStatusNow } from '../../../domain/lifecycle/old-api-status.ts';

/** One page of each desk, in words. */

interface DeskPosition {
  /** The position after which this page begins, as the page before named it. */
  after: string | undefined;
}

interface DeskRequest extends DeskPosition {
  role: StaffRole;
}

export type DeskList = Omit<DeskPage<unknown>, 'rows'> & { rows: ShownRow[] };

function shown<Row>(
  { rows, ...page }: DeskPage<Row>,
  rowOf: (row: Row, seen: DeskView) => ShownRow,
  seen: DeskView,
): DeskList {
  return { ...page, rows: rows.map((row) => rowOf(row, seen)) };
}

const LISTS: Record<
  StackedDesk,
  (context: HttpSupportDeps, asked: DeskPosition, seen: DeskView) => Promise<DeskList>
> = {
  'in-doubt': async (context, { after }, seen) => shown(await doubtful(context, after), doubtRow, seen),
  undeliverable: async (context, { after }, seen) =>
    shown(await undeliverable(context, after), undeliverableRow, seen),
  'no-account': async (context, { after }, seen) =>
    shown(await nobodysTokens(context, after), nobodysRow, seen),
  'hand-overs': async (context, { after }, seen) =>
    shown(await unconfirmed(context, after), handoverDeskRow, seen),
  waiting: async (context, { after }, seen) => shown(await waitingApps(context, after), waitingRow, seen),
  extensions: async (context, { after }, seen) =>
    shown(await endingExtensions(context, after), extensionRow, seen),
  unproven: async (context, { after }, seen) =>
    shown(await unprovenTokens(context, after), unprovenRow, seen),
};

/** The facts that the rows of a desk need, besides their own data. */
export function seenBy(context: HttpSupportDeps, role: StaffRole): DeskView {
  const isEnded = (clientId: string) => oldApiStatusNow(context, clientId).phase === 'ended';
  return { now: context.clock.now(), role, isEnded };
}

/** The requested page of a desk. */
export function deskList(
  context: HttpSupportDeps,
  desk: StackedDesk,
  { role, ...asked }: DeskRequest,
): Promise<DeskList> {
  return LISTS[desk](context, asked, seenBy(context, role));
}
