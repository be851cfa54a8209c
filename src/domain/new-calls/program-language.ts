import type { Calls } from '../usage/calls-of.ts';

/**
 * In which language a program is written, by the name that it gives itself (`User-Agent`). A guess that decides an order
 * alone.
 */

export const PROGRAM_LANGUAGES = ['curl', 'php', 'typescript', 'python'] as const;

export type ProgramLanguage = (typeof PROGRAM_LANGUAGES)[number];

/** In this order: what PHP and Python call through curl names curl too. */
const NAMES: ReadonlyArray<readonly [ProgramLanguage, RegExp]> = [
  ['php', /php|guzzle|wordpress|symfony|laravel|drupal|joomla|\bbuzz\b/i],
  ['python', /python|urllib|aiohttp|httpx|pycurl|buffpy|\brauth\b/i],
  ['typescript', /\bnode|axios|undici|\bgot\b|superagent|\bky\b|\bdeno\b|\bbun\b|javascript/i],
  ['curl', /^curl\b/i],
];

/** The language of a program; undefined for one that does not tell. */
export function languageOf(userAgent: string): ProgramLanguage | undefined {
  return NAMES.find(([, names]) => names.test(userAgent))?.[0];
}

/** All languages, those with the most calls first; the others keep their order. */
export function languagesByUse(kinds: Calls['kinds']): ProgramLanguage[] {
  const sums = new Map<ProgramLanguage, number>();
  for (const { user_agent: agent, calls } of kinds) {
    const language = languageOf(agent);
    if (language) sums.set(language, calls + (sums.get(language) ?? 0));
  }
  return PROGRAM_LANGUAGES.toSorted((one, other) => (sums.get(other) ?? 0) - (sums.get(one) ?? 0));
}
