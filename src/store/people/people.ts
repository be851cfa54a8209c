import { sql } from 'kysely';
import { isSqlite } from '../driver/many-rows.ts';
import type { Database } from '../driver/store.ts';

/**
 * People by a part of their names and addresses. An index knows each three letters in a row: FTS5 of SQLite, GIN of
 * PostgreSQL (docs/decisions/0030). The rows still have to be looked at, for three letters may stand anywhere.
 */

export interface PersonWords {
  /** `account:ID`, or `email:ADDRESS`. */
  person: string;
  words: string;
}

/** The length of one entry of the index. */
export const GRAM = 3;

/** At most so many are asked for: more make no search narrower. */
const GRAMS_MAX = 24;

/** Every three letters in a row of a text of one case. */
function gramsOf(text: string): string[] {
  const letters = Array.from(text);
  const all = letters.map((_, at) => letters.slice(at, at + GRAM).join(''));
  return [...new Set(all)].filter((gram) => Array.from(gram).length === GRAM).slice(0, GRAMS_MAX);
}

const quoted = (gram: string) => `"${gram.replaceAll('"', '""')}"`;

/** People in whose words all three-letter parts of the text stand, up to `limit`, in no order. */
export async function peopleWith(db: Database, text: string, limit: number): Promise<PersonWords[]> {
  // The index of SQLite ends a text at a NUL. No name has a control character.
  const grams = /\p{Cc}/u.test(text) ? [] : gramsOf(text);
  if (grams.length === 0) return [];
  const { rows } = isSqlite(db)
    ? await sql<PersonWords>`
        select p.person, p.words from people_grams join people p on p.id = people_grams.rowid
        where people_grams match ${grams.map(quoted).join(' AND ')} limit ${limit}`.execute(db)
    : await sql<PersonWords>`
        select person, words from people where grams_of(words) @> ${grams}::text[] limit ${limit}`.execute(
        db,
      );
  return rows;
}
