import type { PageKey, PagePosition } from '../../../shared/list-pages.ts';
import { findZone } from '../../../store/accounts/account-zone.ts';
import { grantDeskRows } from '../../../store/support/desks-rows.ts';
import {
  countEnded,
  countEndedByApp,
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

/** One page looks through at most so many connections. */
const DESK_MAX = 1000;

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
 * has nothing to do any more. Nobody can connect a retired app.
 */
const isBreak = ({ cause, hasStopped, isAppRetired }: EndedGrantKey): boolean =>
  hasStopped && !isAppRetired && isStop(cause);

/** The time zone that decides when a day begins for a member of the staff: the zone of the account, else UTC. */
export async function zoneOfReader({ store }: SupportDeps, accountId: string): Promise<string> {
  const zone = await findZone(store.durable, accountId);
  return zone !== undefined && isZone(zone) ? zone : 'UTC';
}

/**
 * The content of a list: the connections that broke and are still broken, or all connections that ended by one cause.
 */
interface EndedQuery {
  span: ListedDay;
  cause: DeathCause | undefined;
  /** Of this app alone. */
  clientId?: string | undefined;
}

const placeOf = ({ rank, id }: PageKey): EndedGrantPosition => ({ at: rank, id });

const keyOf = (place: EndedGrantPosition | undefined): PageKey | undefined =>
  place && { rank: place.at, id: place.id };

/** The next connections of a list, among the connections that one page searches. */
async function lookThrough(
  { store }: SupportDeps,
  { span, cause, clientId }: EndedQuery,
  position: PagePosition | undefined,
) {
  const causes = cause === undefined ? STOPS : [cause];
  const at = { from: position && placeOf(position.key), isBack: position?.to === 'back' };
  const read = await endedKeys(store.durable, { ...span, causes, clientId, at }, DESK_MAX + 1);
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

/** How many connections a list has, among the connections that one page searches. */
async function countListed(context: SupportDeps, query: EndedQuery): Promise<EndedCount> {
  const { keys, isMore } = await lookThrough(context, query, undefined);
  return { count: keys.length, isMore };
}

/** How many connections broke on a day and are still broken, among the connections that one page searches. */
export function countBroken(context: SupportDeps, span: ListedDay): Promise<EndedCount> {
  return countListed(context, { span, cause: undefined });
}

/** How many connections ended on a day, by cause; of one app where the list is of one. */
async function countByCause(
  { store }: SupportDeps,
  { span: { from, to }, clientId }: EndedQuery,
): Promise<Map<string, EndedCount>> {
  const counts = await Promise.all(
    CAUSES.map(async (cause) => {
      const { n, read } = await countEnded(store.durable, { cause, from, to, clientId }, COUNTED + 1);
      return [cause, { count: Math.min(n, COUNTED), isMore: read > COUNTED }] as const;
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

/** How many connections ended on a day, by app, for the causes that the list has. */
async function countByApp({ store }: SupportDeps, { span, cause }: EndedQuery) {
  const causes = cause === undefined ? STOPS : [cause];
  const { apps, read } = await countEndedByApp(store.durable, { ...span, causes }, COUNTED + 1);
  return { apps, isMore: read > COUNTED };
}

type LookedThrough = Awaited<ReturnType<typeof lookThrough>>;

/** The rows of a page and the ways to its neighbours. A page without a row still leads further. */
function pageOfKeys({ keys, last, isMore }: LookedThrough, position: PagePosition | undefined) {
  const nearest = keys.slice(0, PAGE);
  const isBack = position?.to === 'back';
  const shown = isBack ? nearest.toReversed() : nearest;
  const beyond = keyOf(keys.length > nearest.length ? nearest.at(-1) : isMore ? last : undefined);
  return isBack
    ? { shown, previous: beyond, next: keyOf(shown.at(-1)) ?? position?.key }
    : { shown, previous: position && (keyOf(shown[0]) ?? position.key), next: beyond };
}

/** One page of the connections that ended on a day, the newest first, with the counts of each cause and app. */
export async function endedOnDay(
  context: SupportDeps,
  query: EndedQuery,
  position: PagePosition | undefined,
) {
  const [causes, apps] = await Promise.all([countByCause(context, query), countByApp(context, query)]);
  const { shown, ...ends } = pageOfKeys(await lookThrough(context, query, position), position);
  const counted =
    query.cause === undefined || query.clientId !== undefined
      ? await countListed(context, query)
      : causes.get(query.cause);
  return {
    rows: await rowsOf(context, shown),
    causes,
    apps,
    // A page beyond the counted connections may list more rows than were counted, so the count is at least the number
    // of listed rows.
    count: Math.max(counted?.count ?? 0, shown.length),
    isMore: counted?.isMore ?? false,
    /** Known for the first page alone. */
    before: position === undefined ? 0 : undefined,
    ...ends,
  };
}

export type EndedGrant = Awaited<ReturnType<typeof endedOnDay>>['rows'][number];
