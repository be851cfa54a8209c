import { isOpenHttp } from './config-rules.ts';
import { environment } from './environment.ts';
import { withoutFiles } from './secret-files.ts';
import { doubtfulNames } from './unknown-names.ts';

const isRepeated = (day: string, at: number, days: string[]) => days.indexOf(day) !== at;

const isForeign = (given = 'en') => !/^\s*(en|$)/i.test(given);

/**
 * What is probably a mistake and may be meant as it is. So these lines refuse no start; `doctor` shows them. The
 * settings are usable.
 */
export function doubtsIn(variables: Readonly<Record<string, string | undefined>>): string[] {
  const given = Object.keys(variables).filter((name) => variables[name]?.trim());
  const days = (variables['REMINDER_DAYS'] ?? '').split(',').map((day) => day.trim());
  return [
    ...doubtfulNames(withoutFiles(given), Object.keys(environment.shape)),
    ...(days.some(isRepeated) ? ['REMINDER_DAYS: names a day twice'] : []),
    ...(isOpenHttp(variables['MODERN_SETTINGS_URL'])
      ? ['MODERN_SETTINGS_URL: is not https, and people follow this link to sign in']
      : []),
    ...(isForeign(variables['SERVICE_LANGUAGE'])
      ? [
          'SERVICE_LANGUAGE: pages and mails are written in English, and screen readers would read them as another language',
        ]
      : []),
  ];
}
