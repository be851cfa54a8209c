/** What in a text of a person looks like a token or a secret: people paste the wrong thing into the wrong field. */

/** Soft hyphens, joiners, marks of direction: they may stand between any two letters, and nobody sees them. */
const UNSEEN = /[\p{Cf}\p{DI}]+/gu;

/** Numbers of tickets and requests are written so; neither API has a secret of this form. */
const UUID = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/gi;

/** Where a letter follows a digit, a digit a letter, or a capital a small letter: chance does it at every other place. */
const TURN = /[a-z](?=[A-Z0-9])|[A-Z](?=\d)|\d(?=[A-Za-z])/g;

/** Whether it turns so often; a text that does is not gone through to its end. */
function turns(text: string, times: number): boolean {
  const places = text.matchAll(TURN);
  return Array.from({ length: times }, () => places.next()).every(({ done }) => done !== true);
}

/** Words with a year or a number in them turn twice. */
const isMixed = (text: string) => /\d/.test(text) && /[a-z]/i.test(text) && turns(text, 3);

/** A long name of words with hyphens turns seldom. */
function isOpaque(text: string): boolean {
  const rest = text.replace(UUID, '');
  // One secret in 1,500 has no digit; then a name of many words, all but the first with a capital, must be told from it.
  return /[a-z]/.test(rest) && /[A-Z]/.test(rest) && turns(rest, /\d/.test(rest) ? 6 : 8);
}

/** However often the slash was put into an address, or into JSON. */
const LEGACY_START = String.raw`1(?:/|\\+/|%(?:25)*2F)`;

const SHAPES: ReadonlyArray<{ pattern: RegExp; isOne: (part: string) => boolean }> = [
  // Legacy codes and tokens, whatever stands before them.
  { pattern: new RegExp(`${LEGACY_START}[A-Za-z0-9]{32,}`, 'gi'), isOne: () => true },
  // Most of one; `/1/` and `v1/` are the beginning of addresses, in which shorter ids are none.
  { pattern: new RegExp(`(?<![A-Za-z0-9/.-])${LEGACY_START}[A-Za-z0-9]{20,}`, 'gi'), isOne: isMixed },
  // One that lost its `1/`, or a digest; the longest id of ours has 24 characters, and a UUID has hyphens.
  { pattern: /[A-Za-z0-9]{32,}/g, isOne: isMixed },
  // App secrets and modern tokens.
  { pattern: /[A-Za-z0-9_-]{40,}/g, isOne: isOpaque },
  // A JWT, all parts of it.
  { pattern: /(?<![A-Za-z0-9])eyJ[\w-]{5,500}\.[\w-]{5,}(?:\.[\w-]*)?/g, isOne: () => true },
];

/** What is seen of a text, and where in the text each of its characters stands. */
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

/** Each such part as it stands in the text, the longest first. */
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
