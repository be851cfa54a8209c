/** Names in the environment that nothing reads, and that were most likely meant for a setting. */

/** Shorter names resemble other names by chance: PORT and PORTS, HOST and COST. */
const LENGTH_MIN = 8;

/** A slip is one letter too many, too few, or wrong, or two swapped letters. Two slips are allowed. */
const SLIPS_MAX = 2;

/**
 * The table of Damerau and Levenshtein: a cell holds how many slips turn the beginning of one word into the beginning
 * of another.
 */
type DistanceTable = number[][];

const cell = (table: DistanceTable, row: number, column: number) => table[row]?.[column] ?? Infinity;

/** `row` and `column` count letters: the beginnings that are compared end with these letters. */
function slipsAt(table: DistanceTable, words: [string, string], [row, column]: [number, number]): number {
  const [one, other] = words;
  if (row === 0 || column === 0) return row + column;
  const isSame = one[row - 1] === other[column - 1];
  const isSwapped = one[row - 1] === other[column - 2] && one[row - 2] === other[column - 1];
  return Math.min(
    cell(table, row - 1, column) + 1,
    cell(table, row, column - 1) + 1,
    cell(table, row - 1, column - 1) + (isSame ? 0 : 1),
    isSwapped ? cell(table, row - 2, column - 2) + 1 : Infinity,
  );
}

/** How many slips turn one word into another. */
function slipsBetween(one: string, other: string): number {
  const table: DistanceTable = [];
  for (let row = 0; row <= one.length; row += 1) {
    const line: number[] = (table[row] = []);
    for (let column = 0; column <= other.length; column += 1)
      line.push(slipsAt(table, [one, other], [row, column]));
  }
  return cell(table, one.length, other.length);
}

/** `MODERN_SECRET` for `MODERN_CLIENT_SECRET`: the name begins with the same word, and words are missing. */
function leavesWordsOut(name: string, setting: string): boolean {
  const [words, all] = [name.split('_'), setting.split('_')];
  return words.length > 1 && words[0] === all[0] && words.every((word) => all.includes(word));
}

function isLike(name: string, setting: string): boolean {
  if (name === setting.toUpperCase() || leavesWordsOut(name, setting)) return true;
  // The first letter must match: people nearly always type it right, and OpenSSL's SSL_CERT_FILE must not count.
  if (Math.min(name.length, setting.length) < LENGTH_MIN || name[0] !== setting[0]) return false;
  return Math.abs(name.length - setting.length) <= SLIPS_MAX && slipsBetween(name, setting) <= SLIPS_MAX;
}

/**
 * A line for each name that is not in `known` but resembles a known name. The value is not quoted: it may be a secret.
 */
export function misspelledNames(given: readonly string[], known: readonly string[]): string[] {
  return given
    .filter((name) => !known.includes(name))
    .flatMap((name) => {
      const meant = known.find((setting) => isLike(name.toUpperCase(), setting));
      return meant === undefined ? [] : [`${name}: is not a setting. Did you mean ${meant}?`];
    });
}
