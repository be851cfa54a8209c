/** Texts that are written nearly alike: pure functions. */

/** A text as it is compared: one form for each letter, in small letters. */
export const folded = (text: string): string => text.normalize('NFKC').toLowerCase();

/**
 * Databases differ in what they take for a small letter beyond English. Such letters are tried in lower case, in
 * capitals, with capitals as names have them, and as typed. Databases compare characters, and a letter with a mark is one
 * or two of them: both forms are tried.
 */
export function spellingsOf(typed: string): string[] {
  const text = typed.normalize('NFC');
  const small = text.toLowerCase();
  const titled = small.replace(/(?<!\p{L})\p{L}/gu, (letter) => letter.toUpperCase());
  const all = [text, small, titled, text.toUpperCase()]
    .flatMap((one) => [one, one.normalize('NFD')])
    .map((one) => one.replace(/[A-Z]/g, (letter) => letter.toLowerCase()));
  return [...new Set(all)];
}

function sameFromStart(one: readonly string[], other: readonly string[]): number {
  const end = Math.min(one.length, other.length);
  let at = 0;
  while (at < end && one[at] === other[at]) at += 1;
  return at;
}

/** The parts of two texts that differ, between what is the same at their starts and at their ends. */
function differing(one: readonly string[], other: readonly string[]): [string[], string[]] {
  const start = sameFromStart(one, other);
  const [restOne, restOther] = [one.slice(start), other.slice(start)];
  const end = sameFromStart(restOne.toReversed(), restOther.toReversed());
  return [restOne.slice(0, restOne.length - end), restOther.slice(0, restOther.length - end)];
}

/** Whether two texts are the same, or differ by one letter: wrong, missing, too many, or in the place of its neighbour. */
function isNear(one: string, other: string): boolean {
  const [first, second] = differing(Array.from(one), Array.from(other));
  if (first.length <= 1 && second.length <= 1) return true;
  return first.length === 2 && first[0] === second[1] && first[1] === second[0] && second.length === 2;
}

/** A shorter text is near to too many others. */
const NEAR_MIN = 4;

const WORD_BREAK = /[^\p{L}\p{N}@._-]+/u;

const wordsOf = (text: string) => folded(text).split(WORD_BREAK);

/** The words of a text by which a name that is nearly alike is looked for, the longest first. */
export function nearWords(text: string): string[] {
  const words = wordsOf(text).filter((word) => word.length >= NEAR_MIN);
  return words.toSorted((one, other) => other.length - one.length);
}

/** Whether each of the wanted words is near to a word of a text, or to a part of an address in the text. */
export function isNearIn(text: string, wanted: readonly string[]): boolean {
  const words = wordsOf(text);
  const all = new Set([...words, ...words.flatMap((word) => word.split(/[@._-]+/))]);
  return wanted.length > 0 && wanted.every((word) => [...all].some((one) => isNear(one, word)));
}

/**
 * Parts of a word of which at least one stands in every word that is near to it: its halves, and the first half as it is
 * where the two letters in the middle change places, which breaks both halves. Of a short word only the first letters are
 * taken: a first letter is seldom wrong.
 */
export function wordPartsOf(word: string, shortest: number): string[] {
  const letters = Array.from(word);
  const middle = Math.floor(letters.length / 2);
  const swapped = [...letters.slice(0, middle - 1), ...letters.slice(middle, middle + 1)];
  const parts = [letters.slice(0, middle), letters.slice(middle), swapped];
  const long = parts.filter((part) => part.length >= shortest).map((part) => part.join(''));
  return [...new Set([...long, ...(middle < shortest ? [letters.slice(0, shortest).join('')] : [])])];
}
