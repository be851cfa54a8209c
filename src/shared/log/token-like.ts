/** Finds token-like and secret-like parts in a text of a person: people paste the wrong value into the wrong field. */

/** Soft hyphens, joiners, marks of direction: they may stand between any two letters and are invisible. */
const UNSEEN = /[\p{Cf}\p{DI}]+/gu;

/** Ticket and request numbers have this form; no secret of either API does. */
const UUID = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/gi;

/**
 * A change of character class: a letter after a digit, a digit after a letter, or a capital after a small letter. In
 * random text every second character is such a change.
 */
const TURN = /[a-z](?=[A-Z0-9])|[A-Z](?=\d)|\d(?=[A-Za-z])/g;

/** Whether the text has at least `times` changes. The scan stops there. */
function turns(text: string, times: number): boolean {
  const places = text.matchAll(TURN);
  return Array.from({ length: times }, () => places.next()).every(({ done }) => done !== true);
}

/** Words with a year or a number have two changes. */
const isMixed = (text: string) => /\d/.test(text) && /[a-z]/i.test(text) && turns(text, 3);

/** A long name of words with hyphens has few changes. */
function isOpaque(text: string): boolean {
  const rest = text.replace(UUID, '');
  // One secret in 1,500 has no digit. Without a digit the text must differ from a name of many words, all but the first
  // with a capital.
  return /[a-z]/.test(rest) && /[A-Z]/.test(rest) && turns(rest, /\d/.test(rest) ? 6 : 8);
}

/** Matches the slash after any number of URL or JSON encodings. */
const LEGACY_START = String.raw`1(?:/|\\+/|%(?:25)*2F)`;

const SHAPES: ReadonlyArray<{ pattern: RegExp; isOne: (part: string) => boolean }> = [
  // Old codes and tokens, whatever text precedes them.
  { pattern: new RegExp(`${LEGACY_START}[A-Za-z0-9]{32,}`, 'gi'), isOne: () => true },
  // A large part of an old code or token. `/1/` and `v1/` begin addresses, where shorter ids are no secrets.
  { pattern: new RegExp(`(?<![A-Za-z0-9/.-])${LEGACY_START}[A-Za-z0-9]{20,}`, 'gi'), isOne: isMixed },
  // A code or token that lost its `1/`, or a digest. The longest id of ours has 24 characters, and a UUID has hyphens.
  { pattern: /[A-Za-z0-9]{32,}/g, isOne: isMixed },
  // A key of a program, or a large part of one.
  { pattern: /gbk_[A-Za-z0-9_-]{12,}/g, isOne: () => true },
  // The secret of a webhook, or a large part of one; standard Base64 has signs that end the other forms.
  { pattern: /whsec_[A-Za-z0-9+/=_-]{12,}/g, isOne: () => true },
  // App secrets, and tokens of the new API.
  { pattern: /[A-Za-z0-9_-]{40,}/g, isOne: isOpaque },
  // A JWT with all its parts.
  { pattern: /(?<![A-Za-z0-9])eyJ[\w-]{5,500}\.[\w-]{5,}(?:\.[\w-]*)?/g, isOne: () => true },
];

/** The visible characters of a text, and the position of each character in the text. */
function seenOf(text: string): { seen: string; places: number[] } {
  const places: number[] = [];
  let from = 0;
  const seenUntil = (end: number) => {
    for (let at = from; at < end; at += 1) places.push(at);
  };
  for (const { 0: part, index } of text.matchAll(UNSEEN)) {
    seenUntil(index);
    from = index + part.length;
  }
  seenUntil(text.length);
  return { seen: text.replace(UNSEEN, ''), places };
}

/** Each token-like part as written in the text, longest first. */
export function tokensIn(text: string): string[] {
  const { seen, places } = seenOf(text);
  const found = SHAPES.flatMap(({ pattern, isOne }) =>
    [...seen.matchAll(pattern)]
      .filter(([part]) => isOne(part))
      .map(({ 0: part, index }) =>
        text.slice(places[index], (places[index + part.length - 1] ?? text.length) + 1),
      ),
  );
  return [...new Set(found)].toSorted((one, other) => other.length - one.length);
}
