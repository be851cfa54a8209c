import { type CallSummary, carrierWords, programWords } from '../../domain/usage/calls-of.ts';
import { type DayCalls, totalsOf } from '../../domain/usage/calls-per-day.ts';
import { oldCallOf } from '../../domain/old-calls/old-calls.ts';
import { CALL_COLOURS, CALL_TOPICS, type CallTopic, CARRIER_COLOURS } from '../wording/colours.ts';
import type { Series } from './charts.ts';
import { groupBy } from '../../shared/group-by.ts';

/** The calls of an app as series of a chart and as rows of a table. */

/** One series. Series that no call belongs to are left out. */
function seriesOf(
  days: readonly string[],
  calls: readonly DayCalls[],
  { label, kind }: Pick<Series, 'label' | 'kind'>,
): Series[] {
  return calls.length === 0 ? [] : [{ label, kind, values: totalsOf(days, calls) }];
}

function topicOf({ endpoint }: DayCalls): CallTopic {
  const name = oldCallOf(endpoint);
  return (name && CALL_TOPICS[name]) ?? 'All others';
}

/** A series for each kind of call, in one order on every page. */
export function byKind(days: readonly string[], calls: readonly DayCalls[]): Series[] {
  const groups = groupBy(calls, topicOf);
  return (Object.keys(CALL_COLOURS) as CallTopic[]).flatMap((label) =>
    seriesOf(days, groups.get(label) ?? [], { label, kind: CALL_COLOURS[label] }),
  );
}

/** A series for each place in which tokens arrived (header, address, …), in one order on every page. */
export function byCarrier(days: readonly string[], calls: readonly DayCalls[]): Series[] {
  const groups = groupBy(calls, ({ carrier }) => (CARRIER_COLOURS.has(carrier) ? carrier : 'none'));
  return [...CARRIER_COLOURS, ['none', 'muted'] as const].flatMap(([carrier, kind]) =>
    seriesOf(days, groups.get(carrier) ?? [], { label: `in ${carrierWords(carrier)}`, kind }),
  );
}

/** One kind of call as a row. */
export function callLine({
  endpoint,
  carrier,
  user_agent: agent,
  calls,
  refused,
  last_at: last,
}: CallSummary['kinds'][number]) {
  return { endpoint, carrier: carrierWords(carrier), program: programWords(agent), calls, refused, last };
}
