import { DAY } from '../shared/lifetimes.ts';
import { type CallSum, findLastCall, sumCalls } from '../store/usage.ts';
import type { Context } from './context.ts';
import { dayOf } from './usage.ts';

/** What tokens were used for. */
export interface Calls {
  /** The most frequent kinds within the days that were asked for; of very many some are left out. */
  kinds: CallSum[];
  /** The last one at all, as long as usage is kept. */
  last: { at: number; userAgent: string } | undefined;
}

/** Tokens of one statement: their ids are one parameter. */
const TOKENS_AT_ONCE = 10_000;

/** Kinds of one statement; callers name their user agents as they like. */
const KINDS_AT_ONCE = 200;

function addUp(known: ReadonlyMap<string, CallSum>, kinds: readonly CallSum[]): Map<string, CallSum> {
  const sums = new Map(known);
  for (const kind of kinds) {
    const key = [kind.endpoint, kind.carrier, kind.user_agent].join('\n');
    const { calls = 0, last_at = 0 } = sums.get(key) ?? {};
    sums.set(key, { ...kind, calls: kind.calls + calls, last_at: Math.max(kind.last_at, last_at) });
  }
  return sums;
}

/** The calls of these tokens together, by endpoint, carrier and user agent, within the last days (today is one of them). */
export async function callsOf(
  { store, clock }: Pick<Context, 'store' | 'clock'>,
  mappingIds: readonly string[],
  { days }: { days: number },
): Promise<Calls> {
  const sinceDay = dayOf(clock.now() - (days - 1) * DAY);
  let sums = new Map<string, CallSum>();
  const lasts: Array<{ last_at: number; user_agent: string }> = [];
  for (let start = 0; start < mappingIds.length; start += TOKENS_AT_ONCE) {
    const ids = mappingIds.slice(start, start + TOKENS_AT_ONCE);
    sums = addUp(sums, await sumCalls(store, ids, { sinceDay, limit: KINDS_AT_ONCE }));
    // Most have a recent one, and all days are many rows.
    const last = (await findLastCall(store, ids, sinceDay)) ?? (await findLastCall(store, ids, ''));
    if (last) lasts.push(last);
  }
  const last = lasts.toSorted((a, b) => b.last_at - a.last_at)[0];
  return {
    kinds: [...sums.values()].toSorted((a, b) => b.calls - a.calls),
    last: last && { at: last.last_at, userAgent: last.user_agent },
  };
}
