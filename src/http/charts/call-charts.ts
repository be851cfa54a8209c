import { type CallSummary, carrierWords, programWords } from '../../domain/usage/calls-of.ts';
import { type DayCalls, totalsOf } from '../../domain/usage/calls-per-day.ts';
import type { Series } from './charts.ts';
import { groupBy } from '../../shared/group-by.ts';

/** The calls of an app as series of a chart and as rows of a table. */

/** The colours of the most frequent kinds of calls, in this order. All further kinds share one more series. */
const KINDS: ReadonlyArray<Series['kind']> = ['accent', 'second', 'ok', 'warning'];

const sumOf = (group: readonly DayCalls[]) => group.reduce((sum, { calls: n }) => sum + n, 0);

function byFrequency(
  calls: readonly DayCalls[],
  nameOf: (call: DayCalls) => string,
): Map<string, DayCalls[]> {
  return new Map([...groupBy(calls, nameOf)].toSorted(([, one], [, other]) => sumOf(other) - sumOf(one)));
}

function seriesBy(
  days: readonly string[],
  calls: readonly DayCalls[],
  nameOf: (call: DayCalls) => string,
): Series[] {
  const groups = [...byFrequency(calls, nameOf)];
  const named = groups.slice(0, KINDS.length).map(([label, group], place) => ({
    label,
    kind: KINDS[place] ?? 'muted',
    values: totalsOf(days, group),
  }));
  const rest = groups.slice(KINDS.length).flatMap(([, group]) => group);
  return rest.length === 0
    ? named
    : [...named, { label: 'all others', kind: 'muted', values: totalsOf(days, rest) }];
}

/** A series for each endpoint. The most frequent endpoints are named. */
export function byEndpoint(days: readonly string[], calls: readonly DayCalls[]): Series[] {
  return seriesBy(days, calls, ({ endpoint }) => endpoint);
}

/** A series for each place in which tokens arrived (header, query, …). */
export function byCarrier(days: readonly string[], calls: readonly DayCalls[]): Series[] {
  return seriesBy(days, calls, ({ carrier }) => `in ${carrierWords(carrier)}`);
}

/** One kind of call as a row. */
export function callLine({
  endpoint,
  carrier,
  user_agent: agent,
  calls,
  last_at: last,
}: CallSummary['kinds'][number]) {
  return { endpoint, carrier: carrierWords(carrier), program: programWords(agent), calls, last };
}
