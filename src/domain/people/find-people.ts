import { GRAM, peopleWith, type PersonWords } from '../../store/people/people.ts';
import type { PeopleDeps } from './deps.ts';
import { folded, isNearIn, nearWords, wordPartsOf, spellingsOf } from './near-words.ts';

/**
 * Finds people by a part of a name or an address, in any case, and by one that is nearly alike. How many rows are
 * looked at is bounded: a search by letters that very many names have says that it did not see them all.
 */

/** At most so many rows of the index are looked at for one part of a text. */
const LOOKED_AT = 2000;

export interface PeopleFound {
  people: PersonWords[];
  /** Whether names were left out that may match: more had these letters than were looked at. */
  isCut: boolean;
}

const NOBODY: PeopleFound = { people: [], isCut: false };

async function having({ store }: PeopleDeps, parts: readonly string[]): Promise<PeopleFound> {
  const texts = [...new Set(parts.flatMap(spellingsOf))];
  const found = await Promise.all(texts.map((text) => peopleWith(store.durable, text, LOOKED_AT + 1)));
  const people = new Map(found.flat().map((row) => [row.person, row]));
  return { people: [...people.values()], isCut: found.some((rows) => rows.length > LOOKED_AT) };
}

/** The people in whose name and address a text stands, in any case. A text below three letters finds nobody. */
export async function peopleByPart(context: PeopleDeps, text: string): Promise<PeopleFound> {
  const wanted = folded(text);
  if (wanted.length < GRAM) return NOBODY;
  const { people, isCut } = await having(context, [text]);
  return { people: people.filter(({ words }) => folded(words).includes(wanted)), isCut };
}

/** The people who have, for each longer word of a text, a word that is nearly alike. */
export async function peopleNearly(context: PeopleDeps, text: string): Promise<PeopleFound> {
  const wanted = nearWords(text);
  const [longest] = wanted;
  if (longest === undefined) return NOBODY;
  const { people, isCut } = await having(context, wordPartsOf(longest, GRAM));
  return { people: people.filter(({ words }) => isNearIn(words, wanted)), isCut };
}
