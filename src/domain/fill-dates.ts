import type { Clock } from '../shared/clock.ts';
import { fillDate } from '../store/lifecycle-dates.ts';
import type { DateName } from '../store/lifecycle-tables.ts';
import type { Store } from '../store/store.ts';

/** Settings only fill a database that has no dates yet (design 6); from then on `dates set` changes them. */
export async function fillDates(
  { store, clock }: { store: Pick<Store, 'transaction'>; clock: Pick<Clock, 'now'> },
  dates: Record<DateName, number | undefined>,
): Promise<void> {
  if (Object.values(dates).every((at) => at === undefined)) return;
  const now = clock.now();
  await store.transaction(async (tx) => {
    for (const name of ['deprecation', 'retirement', 'sunset'] as const) {
      const at = dates[name];
      if (at !== undefined) await fillDate(tx, { name, at, changed_at: now, changed_by: 'settings' });
    }
  });
}
