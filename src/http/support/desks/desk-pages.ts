import type { HttpSupportDeps } from '../deps.ts';
import type { StaffRole } from '../../../domain/accounts/staff.ts';
import type { DeskPage, DeskQuery } from '../../../domain/support/desks-pages.ts';
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

interface DeskRequest {
  query: DeskQuery;
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
  (context: HttpSupportDeps, query: DeskQuery, seen: DeskView) => Promise<DeskList>
> = {
  'in-doubt': async (context, query, seen) => shown(await doubtful(context, query), doubtRow, seen),
  undeliverable: async (context, query, seen) =>
    shown(await undeliverable(context, query), undeliverableRow, seen),
  'no-account': async (context, query, seen) => shown(await nobodysTokens(context, query), nobodysRow, seen),
  'hand-overs': async (context, query, seen) =>
    shown(await unconfirmed(context, query), handoverDeskRow, seen),
  waiting: async (context, query, seen) => shown(await waitingApps(context, query), waitingRow, seen),
  extensions: async (context, query, seen) =>
    shown(await endingExtensions(context, query), extensionRow, seen),
  unproven: async (context, query, seen) => shown(await unprovenTokens(context, query), unprovenRow, seen),
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
  { role, query }: DeskRequest,
): Promise<DeskList> {
  return LISTS[desk](context, query, seenBy(context, role));
}
