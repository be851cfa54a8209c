import type { Request } from 'express';
import { PROGRAM_LANGUAGES, type ProgramLanguage } from '../../domain/new-calls/program-language.ts';

/** The language of `?language=`; undefined without one that the pages have. */
export function wantedLanguage({ query }: Request): ProgramLanguage | undefined {
  return PROGRAM_LANGUAGES.find((language) => language === query['language']);
}

/** The languages, with the language of `?language=` first. Without such a language the order stays. */
export function wantedFirst(
  req: Request,
  languages: readonly ProgramLanguage[] = PROGRAM_LANGUAGES,
): ProgramLanguage[] {
  const wanted = wantedLanguage(req);
  return [...languages.filter((one) => one === wanted), ...languages.filter((one) => one !== wanted)];
}
