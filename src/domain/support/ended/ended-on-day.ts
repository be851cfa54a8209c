import { findZone } from '../../../store/accounts/account-zone.ts';
import { DESK_MAX } from '../../../store/support/desks.ts';
import { grantDeskRows } from '../../../store/support/desks-rows.ts';
import {
  countEnded,
  type EndedGrantKey,
  endedKeys,
  type EndedGrantPosition,
} from '../../../store/support/ended-grants.ts';
import type { DeathCause } from '../../../store/tables/tables.ts';
import type { SupportDeps } from '../deps.ts';
import { isZone, type ListedDay } from './days.ts';

/**
 * The connections that ended on one day. One page searches at most DESK_MAX connections. A page where every searched
 * connection is settled still links to the next connections, so support can reach each of them.
 */

/** Rows of one page. */
const PAGE = 50;

/** The bound of the count of each cause. Only an index is read. */
const COUNTED = 10_000;

/** Causes after which somebody has to connect again. The other causes were asked for. */
const STOPS = ['refused', 'lost', 'superseded'] as const satisfies readonly DeathCause[];

/** Every cause of an end. */
export const CAUSES = [...STOPS, 'deauthorized', 'replaced', 'unfinished', 'handed_over'] as const;

/** Whether somebody has to connect again after an end of this cause. */
export const isStop = (cause: string): boolean => STOPS.some((one) => one === cause);

/**
 * Whether somebody still has to connect again after one end. A person who has connected again, or has ended the tokens,
 * has nothing to do any more.
 */
const isBreak = ({ cause, hasStopped }: EndedGrantKey): boolean => hasStopped && isStop(cause);

/** The time zone that decides when a day begins for a member of the staff: the zone of the account, else UTC. */
export async function zoneOfReader({ store }: SupportDeps, accountId: string): Promise<string> {
  const zone = await findZone(store.durable, accountId);
  return zone !== undefined && isZone(zone) ? zone : 'UTC';
}

const PLACE = /^(\d{1,16})\.(\w{1,64})$/;

function placeOf(cursor: string | undefined): EndedGrantPosition | undefined {
  const [, at, id] = PLACE.exec(cursor ?? '') ?? [];
  return at === undefined || id === undefined ? undefined : { at: Number(at), id };
}

const cursorOf = (place: EndedGrantPosition | undefined) => place && `${place.at}.${place.id}`;

/**
 * The content of a list: the connections that broke and are still broken, or all connections that ended by one cause.
 */
interface EndedQuery {
  span: ListedDay;
  cause: DeathCause | undefined;
}

/** The next connections of a list, among the connections that one page searches. */
async function lookThrough(
  { store }: SupportDeps,
  { span, cause }: EndedQuery,
  after: EndedGrantPosition | undefined,
) {
  const causes = cause === undefined ? STOPS : [cause];
  const read = await endedKeys(store.durable, { ...span, causes, after }, DESK_MAX + 1);
  const looked = read.slice(0, DESK_MAX);
  return {
    keys: cause === undefined ? looked.filter(isBreak) : looked,
    last: looked.at(-1),
    isMore: read.length > DESK_MAX,
  };
}

export interface EndedCount {
  count: number;
  /** Whether there are more connections than `count`. */
  isMore: boolean;
}

/** How many connections broke on a day and are still broken, among the connections that one page searches. */
export async function countBroken(context: SupportDeps, span: ListedDay): Promise<EndedCount> {
  const { keys, isMore } = await lookThrough(context, { span, cause: undefined }, undefined);
  return { count: keys.length, isMore };
}

/** How many connections ended on a day, by cause. */
async function countByCause(
  { store }: SupportDeps,
  { from, to }: ListedDay,
): Promise<Map<string, EndedCount>> {
  const counts = await Promise.all(
    CAUSES.map(async (cause) => {
      const n = await countEnded(store.durable, { cause, from, to }, COUNTED + 1);
      return [cause, { count: Math.min(n, COUNTED), isMore: n > COUNTED }] as const;
    }),
  );
  return new Map(counts);
}

async function rowsOf({ store }: SupportDeps, keys: readonly EndedGrantKey[]) {
  const ids = keys.map(({ id }) => id);
  const rows = ids.length === 0 ? [] : await grantDeskRows(store.durable, ids);
  const byId = new Map(rows.map((row) => [row.id, row]));
  return keys.flatMap(({ id, hasStopped }) => {
    const row = byId.get(id);
    return row ? [{ ...row, hasStopped }] : [];
  });
}

/** One page of the connections that ended on a day, the newest first, with the counts of each cause. */
export async function endedOnDay(context: SupportDeps, query: EndedQuery, after: string | undefined) {
  const place = placeOf(after);
  const causes = await countByCause(context, query.span);
  const { keys, last, isMore } = await lookThrough(context, query, place);
  const shown = keys.slice(0, PAGE);
  const further = isMore ? last : undefined;
  const counted =
    query.cause === undefined ? await countBroken(context, query.span) : causes.get(query.cause);
  return {
    rows: await rowsOf(context, shown),
    causes,
    // A page beyond the counted connections may list more rows than were counted, so the count is at least the number
    // of listed rows.
    count: Math.max(counted?.count ?? 0, shown.length),
    isMore: counted?.isMore ?? false,
    /** Known for the first page alone. */
    before: place === undefined ? 0 : undefined,
    next: cursorOf(keys.length > shown.length ? shown.at(-1) : further),
  };
}

export type EndedGrant = Awaited<ReturnType<typeof endedOnDay>>['rows'][number];
