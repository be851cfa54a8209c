import { DAY } from '../../shared/lifetimes.ts';
import { dayOf } from '../../shared/moments.ts';
import { type DayCalls, sumDays } from '../../store/usage/call-sums.ts';
import { type CallsSubject, inParts } from './callers.ts';
import { firstDayOf } from './counted-days.ts';
import type { UsageDeps } from './deps.ts';

export type { DayCalls };

/** The last days up to today (UTC), `YYYY-MM-DD`, the oldest first. */
export function lastDays({ clock }: Pick<UsageDeps, 'clock'>, days: number): string[] {
  return Array.from({ length: days }, (_, index) => dayOf(clock.now() - (days - 1 - index) * DAY));
}

function addUp(sums: Map<string, DayCalls>, rows: readonly DayCalls[]): void {
  for (const row of rows) {
    const key = [row.day, row.endpoint, row.carrier].join('\n');
    const { calls = 0, refused = 0 } = sums.get(key) ?? {};
    sums.set(key, { ...row, calls: row.calls + calls, refused: row.refused + refused });
  }
}

/**
 * The calls of these tokens, or of an app, in the last `days`, by day, endpoint and carrier; days without a call have no
 * row.
 */
export async function callDaysOf(
  context: Pick<UsageDeps, 'store' | 'clock'>,
  asked: CallsSubject,
  { days }: { days: number },
): Promise<DayCalls[]> {
  const sinceDay = firstDayOf(context.clock.now(), days);
  const sums = new Map<string, DayCalls>();
  for await (const callers of inParts(asked)) addUp(sums, await sumDays(context.store, callers, sinceDay));
  return [...sums.values()].toSorted((one, other) => one.day.localeCompare(other.day));
}

/** How many calls there were on each of these days, in their order. */
export function totalsOf(
  days: readonly string[],
  calls: ReadonlyArray<Pick<DayCalls, 'day' | 'calls'>>,
): number[] {
  const totals = new Map<string, number>();
  for (const { day, calls: n } of calls) totals.set(day, (totals.get(day) ?? 0) + n);
  return days.map((day) => totals.get(day) ?? 0);
}
