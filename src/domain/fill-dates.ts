import type { Clock } from '../shared/clock.ts';
import type { Logger } from '../shared/logger.ts';
import type { Vault } from '../shared/secrets.ts';
import { readDates } from '../store/lifecycle.ts';
import { setDate } from '../store/lifecycle-dates.ts';
import type { DateName } from '../store/lifecycle-tables.ts';
import type { Database, Store } from '../store/store.ts';
import { recordEvents } from './record-event.ts';

/** Settings only fill a database that has no dates yet (design 6); from then on `dates set` changes them. */

type Dates = Partial<Record<DateName, number | undefined>>;

interface Parts {
  store: Pick<Store, 'durable' | 'transaction'>;
  clock: Pick<Clock, 'now'>;
  vault: Pick<Vault, 'witness'>;
}

const NAMES = ['deprecation', 'retirement', 'sunset'] as const;

const SETTINGS: Record<DateName, string> = {
  deprecation: 'LEGACY_DEPRECATED_AT',
  retirement: 'LEGACY_RETIREMENT_AT',
  sunset: 'BRIDGE_SUNSET_AT',
};

const given = (dates: Dates) =>
  NAMES.flatMap((name) => {
    const at = dates[name];
    return at === undefined ? [] : [{ name, at }];
  });

const isEmpty = async (db: Database) => (await readDates(db)).length === 0;

/** Sets these dates in a database in which none was ever set or unset, in the name of `actor`; answers whether it was one. */
export async function fillDates(parts: Parts, dates: Dates, actor = 'settings'): Promise<boolean> {
  const { store, clock } = parts;
  const all = given(dates);
  if (all.length === 0 || !(await isEmpty(store.durable))) return false;
  const now = clock.now();
  return store.transaction(async (tx) => {
    if (!(await isEmpty(tx))) return false;
    for (const date of all) await setDate(tx, { ...date, changed_at: now, changed_by: actor });
    const changes = all.map(({ name, at }) => ({
      at: now,
      actor,
      action: 'date_set',
      reason: `${name}: ${new Date(at).toISOString()}; the database had no dates`,
    }));
    await recordEvents(parts, tx, changes);
    return true;
  });
}

/** The settings that say another date than the database, each with the command's name of it. */
export async function otherDates(
  { store }: { store: Pick<Store, 'durable'> },
  dates: Dates,
): Promise<string[]> {
  const rows = await readDates(store.durable);
  const known = new Map(rows.map(({ name, at }) => [name, at]));
  return given(dates)
    .filter(({ name, at }) => known.get(name) !== at)
    .map(({ name }) => `${SETTINGS[name]} (${name})`);
}

/** Says once, when a bridge begins to serve, which settings have no effect. */
export async function warnOfOtherDates(
  parts: { store: Pick<Store, 'durable'>; logger: Logger },
  dates: Dates,
): Promise<void> {
  const settings = await otherDates(parts, dates);
  if (settings.length === 0) return;
  const message =
    'settings say other dates than the database, which count: grantbridge dates set changes them, the settings only fill an empty database';
  parts.logger.warn(message, { settings });
}
