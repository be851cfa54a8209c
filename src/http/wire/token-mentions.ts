/**
 * Finds mentions of an access token in a text, in every spelling that some reader of forms, queries or JSON knows. The
 * search makes one pass over any text, and decodes no single character or pair.
 */

/** One letter: plain, or escaped as in an address or in JSON. */
function letter(character: string): string {
  const codes = [character, character.toUpperCase()].map((one) => one.charCodeAt(0).toString(16));
  const hex = codes.join('|');
  return `(?:${character}|%(?:${hex})|\\\\u00(?:${hex}))`;
}

const word = (text: string) => text.split('').map(letter).join('');

/**
 * PHP reads a dot, a space and a bracket in a name as an underscore. Each of these characters may be escaped. A space
 * beyond ASCII has two or three bytes where a text is read byte by byte.
 */
const JOINT = String.raw`(?:[_.[\s+]|[\x80-\xff]{2,3}|(?:%[0-9a-f]{2}){1,3}|\\u[0-9a-f]{4})`;

const MENTION = `${word('access')}${JOINT}${word('token')}`;

const ANYWHERE = new RegExp(MENTION, 'i');

/** Whether a text mentions a token. */
export function mentionsToken(text: string): boolean {
  return ANYWHERE.test(text);
}

const EACH = new RegExp(MENTION, 'gi');

/** How often a text mentions a token. */
export function countMentions(text: string): number {
  return text.match(EACH)?.length ?? 0;
}

/** A pair whose name mentions a token, and the separator before the pair. */
const PAIR_NAME = new RegExp(`(^|[&;])([^&;=]*?${MENTION}[^&;=]*)`, 'gi');

/** No call has more such names. */
const NAMES_MAX = 20;

export interface PairName {
  /** The separator from the pair before; empty for the first pair. */
  separator: string;
  name: string;
}

/** The names in a form or query that mention a token, as written. Undefined where there are too many. */
export function namesThatMentionToken(text: string): PairName[] | undefined {
  const names: PairName[] = [];
  for (const [, separator = '', name = ''] of text.matchAll(PAIR_NAME)) {
    names.push({ separator, name });
    if (names.length > NAMES_MAX) return undefined;
  }
  return names;
}
