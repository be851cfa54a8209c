import type { Request } from 'express';
import { PROGRAM_LANGUAGES, type ProgramLanguage } from '../../domain/new-calls/program-language.ts';

/** The languages, with the language of `?language=` first. Without such a language the order stays. */
export function wantedFirst(
  { query }: Request,
  languages: readonly ProgramLanguage[] = PROGRAM_LANGUAGES,
): ProgramLanguage[] {
  const isWanted = (language: ProgramLanguage) => language === query['language'];
  return [...languages.filter(isWanted), ...languages.filter((language) => !isWanted(language))];
}
