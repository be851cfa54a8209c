import type { Clock } from '../../shared/clock.ts';
import type { Logger } from '../../shared/log/logger.ts';
import { isoMoment } from '../../shared/moments.ts';
import type { Vault } from '../../shared/secrets.ts';
import { readDates } from '../../store/lifecycle/lifecycle.ts';
import { setDate } from '../../store/lifecycle/lifecycle-dates.ts';
import { DATE_NAMES, type DateName } from '../../store/tables/lifecycle.ts';
import type { Database, Store } from '../../store/driver/store.ts';
import type { LifecycleWatch } from './lifecycle-watch.ts';
import { recordEvents } from '../history/record-event.ts';

/**
 * Settings fill only a database that has no dates yet (docs/decisions/0012). Afterwards `dates set` changes the dates.
 */

type Dates = Partial<Record<DateName, number | undefined>>;

interface FillDatesDeps {
  store: Pick<Store, 'durable' | 'transaction'>;
  clock: Pick<Clock, 'now'>;
  vault: Pick<Vault, 'witness'>;
}

const SETTINGS: Record<DateName, string> = {
  deprecation: 'LEGACY_DEPRECATED_AT',
  retirement: 'LEGACY_RETIREMENT_AT',
  sunset: 'BRIDGE_SUNSET_AT',
};

const given = (dates: Dates) =>
  DATE_NAMES.flatMap((name) => {
    const at = dates[name];
    return at === undefined ? [] : [{ name, at }];
  });

/** A typing error must not end everything at once (set-date.ts). */
const isPastEnd = ({ name, at }: { name: DateName; at: number }, now: number) =>
  name !== 'deprecation' && at <= now;

const isEmpty = async (db: Database) => (await readDates(db)).length === 0;

/**
 * Sets these dates in the name of `actor` if the database never had a date, set or unset. Leaves out a retirement or
 * sunset that is past. Answers whether a date was set.
 */
export async function fillDates(parts: FillDatesDeps, dates: Dates, actor = 'settings'): Promise<boolean> {
  const { store, clock } = parts;
  const now = clock.now();
  const all = given(dates).filter((date) => !isPastEnd(date, now));
  if (all.length === 0 || !(await isEmpty(store.durable))) return false;
  return store.transaction(async (tx) => {
    if (!(await isEmpty(tx))) return false;
    for (const date of all) await setDate(tx, { ...date, changed_at: now, changed_by: actor });
    const changes = all.map(({ name, at }) => ({
      at: now,
      actor,
      action: 'date_set',
      reason: `${name}: ${isoMoment(at)}; the database had no dates`,
    }));
    await recordEvents(parts, tx, changes);
    return true;
  });
}

/**
 * Fills the database with the dates of the settings when a bridge begins to serve. A command never does so: a command
 * only looks, and its settings may be the settings of tomorrow.
 */
export async function followSettings(
  parts: FillDatesDeps & { lifecycle: Pick<LifecycleWatch, 'refresh'> },
  dates: Dates,
): Promise<void> {
  if (await fillDates(parts, dates)) await parts.lifecycle.refresh();
}

/** Settings that have no effect, each with the name that the command gives to the date. */
export interface IdleSettings {
  /** The database has no dates yet, and the next start sets these dates. */
  coming: string[];
  /** The database has dates, and a different date or none under this name. */
  other: string[];
  /** A past retirement or sunset that the database has no row for. */
  past: string[];
}

const settingOf = ({ name }: { name: DateName }) => `${SETTINGS[name]} (${name})`;

/** The settings that the database does not follow. */
export async function idleSettings(
  { store, clock }: Pick<FillDatesDeps, 'clock'> & { store: Pick<Store, 'durable'> },
  dates: Dates,
): Promise<IdleSettings> {
  const rows = await readDates(store.durable);
  const now = clock.now();
  const known = new Map(rows.map(({ name, at }) => [name, at]));
  const idle = given(dates).filter(({ name, at }) => known.get(name) !== at);
  const isPast = (date: (typeof idle)[number]) => !known.has(date.name) && isPastEnd(date, now);
  const sound = idle.filter((date) => !isPast(date)).map(settingOf);
  const isFilled = rows.length > 0;
  return {
    coming: isFilled ? [] : sound,
    other: isFilled ? sound : [],
    past: idle.filter(isPast).map(settingOf),
  };
}

/** Logs once, when a bridge begins to serve, which settings have no effect. */
export async function warnOfIdleSettings(
  parts: Parameters<typeof idleSettings>[0] & { logger: Logger },
  dates: Dates,
): Promise<void> {
  const { other, past } = await idleSettings(parts, dates);
  if (other.length > 0)
    parts.logger.warn(
      'the settings differ from the dates in the database, the database wins. To change a date: grantbridge dates set',
      { settings: other },
    );
  if (past.length > 0)
    parts.logger.warn(
      'the settings name a retirement or sunset that is past, the bridge did not set the date. To set it and end all old calls at once: grantbridge dates set --force',
      { settings: past },
    );
}
