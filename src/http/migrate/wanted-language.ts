import type { Request } from 'express';
import { PROGRAM_LANGUAGES, type ProgramLanguage } from '../../domain/new-calls/program-language.ts';

/** The languages with the one in front that `?language=` names; without such a name in their order. */
export function wantedFirst(
  { query }: Request,
  languages: readonly ProgramLanguage[] = PROGRAM_LANGUAGES,
): ProgramLanguage[] {
  const isWanted = (language: ProgramLanguage) => language === query['language'];
  return [...languages.filter(isWanted), ...languages.filter((language) => !isWanted(language))];
}
