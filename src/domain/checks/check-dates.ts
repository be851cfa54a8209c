import { isoMoment } from '../../shared/moments.ts';
import { readDates } from '../../store/lifecycle/lifecycle.ts';
import { type IdleSettings, idleSettings } from '../lifecycle/fill-dates.ts';
import { DATE_NAMES } from '../lifecycle/lifecycle.ts';
import type { ChecksDeps } from './deps.ts';
import { type CheckVerdict, ok, warning } from './verdict.ts';

function warningsOf({ other, past }: IdleSettings): string[] {
  return [
    ...(other.length > 0
      ? [
          `${other.join(', ')} says another date than the database. The database wins. To change the date: grantbridge dates set`,
        ]
      : []),
    ...(past.length > 0
      ? [
          `${past.join(', ')} is a past date and was not set: the date would end all old calls at once. To set it all the same: grantbridge dates set --force`,
        ]
      : []),
  ];
}

/** The dates, and the settings of dates that have no effect. */
export async function examineDates({ store, clock, settings }: ChecksDeps): Promise<CheckVerdict> {
  const rows = await readDates(store.durable);
  const idle = await idleSettings({ store, clock }, settings.dates);
  const textOf = (name: string) => {
    const at = rows.find((row) => row.name === name)?.at;
    return typeof at === 'number' ? isoMoment(at) : 'not set';
  };
  const known = DATE_NAMES.map((name) => `${name} ${textOf(name)}`).join(', ');
  const coming = idle.coming.join(', ');
  const found = coming === '' ? known : `${known}. The next start of the bridge sets ${coming}`;
  const warnings = warningsOf(idle);
  return warnings.length > 0 ? warning([found, ...warnings].join('. ')) : ok(found);
}
