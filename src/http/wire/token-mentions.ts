/**
 * Where a text speaks of an access token in any spelling that some reader of forms, queries or JSON knows. One pass over
 * the text, whatever it holds: nothing is decoded for each character or each pair.
 */

/** One letter: as it is, or escaped as in an address or in JSON. */
function letter(character: string): string {
  const codes = [character, character.toUpperCase()].map((one) => one.charCodeAt(0).toString(16));
  const hex = codes.join('|');
  return `(?:${character}|%(?:${hex})|\\\\u00(?:${hex}))`;
}

const word = (text: string) => text.split('').map(letter).join('');

/** PHP takes a dot, a space and a bracket in a name for an underscore; any of them may be escaped. */
const JOINT = String.raw`(?:[_.[\s+]|(?:%[0-9a-f]{2}){1,3}|\\u[0-9a-f]{4})`;

const MENTION = `${word('access')}${JOINT}${word('token')}`;

const ANYWHERE = new RegExp(MENTION, 'i');

/** Whether a text speaks of a token. */
export function mentionsToken(text: string): boolean {
  return ANYWHERE.test(text);
}

/** A pair whose name speaks of a token, and what stands before it. */
const PAIR_NAME = new RegExp(`(^|[&;])([^&;=]*?${MENTION}[^&;=]*)`, 'gi');

/** No call has more of them. */
const NAMES_MAX = 20;

export interface PairName {
  /** What separates it from the pair before; empty for the first. */
  separator: string;
  name: string;
}

/** The names in a form or query that speak of a token, as they are written; undefined where there are far too many. */
export function namesThatMentionToken(text: string): PairName[] | undefined {
  const names: PairName[] = [];
  for (const [, separator = '', name = ''] of text.matchAll(PAIR_NAME)) {
    names.push({ separator, name });
    if (names.length > NAMES_MAX) return undefined;
  }
  return names;
}
