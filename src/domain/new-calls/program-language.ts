import type { CallSummary } from '../usage/calls-of.ts';

/** Guesses the programming language of an app from its `User-Agent`. The guess decides only the order of examples. */

export const PROGRAM_LANGUAGES = ['curl', 'php', 'typescript', 'python'] as const;

export type ProgramLanguage = (typeof PROGRAM_LANGUAGES)[number];

/** The order matters: a PHP or Python program that calls through curl names curl too. */
const NAMES: ReadonlyArray<readonly [ProgramLanguage, RegExp]> = [
  ['php', /php|guzzle|wordpress|symfony|laravel|drupal|joomla|\bbuzz\b/i],
  ['python', /python|urllib|aiohttp|httpx|pycurl|buffpy|\brauth\b/i],
  ['typescript', /\bnode|axios|undici|\bgot\b|superagent|\bky\b|\bdeno\b|\bbun\b|javascript/i],
  ['curl', /^curl\b/i],
];

/** The language of a program; undefined where the `User-Agent` does not tell. */
export function languageOf(userAgent: string): ProgramLanguage | undefined {
  return NAMES.find(([, names]) => names.test(userAgent))?.[0];
}

/** Whether the languages of most of `total` calls are known. The language of a few calls says nothing of the others. */
export function areLanguagesKnown(kinds: CallSummary['kinds'], total: number): boolean {
  const known = kinds.filter(({ user_agent: agent }) => languageOf(agent) !== undefined);
  return 2 * known.reduce((sum, { calls }) => sum + calls, 0) > total;
}

/** All languages, the language with the most calls first. Languages without calls keep their order. */
export function languagesByUse(kinds: CallSummary['kinds']): ProgramLanguage[] {
  const sums = new Map<ProgramLanguage, number>();
  for (const { user_agent: agent, calls } of kinds) {
    const language = languageOf(agent);
    if (language) sums.set(language, calls + (sums.get(language) ?? 0));
  }
  return PROGRAM_LANGUAGES.toSorted((one, other) => (sums.get(other) ?? 0) - (sums.get(one) ?? 0));
}
