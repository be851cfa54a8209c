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

/** The word without the ending of a plural: a list in a setting invites the plural. */
const singularOf = (name: string) => name.replace(/IES$/, 'Y').replace(/S$/, '');

/** `TRUST_PROXIES` for `TRUST_PROXY`. Names of one word are left out: another program may mean PORTS. */
const differsInNumber = (name: string, setting: string) =>
  setting.includes('_') && singularOf(name) === singularOf(setting);

/** A few letters differ, or the capitals. */
function hasSlips(name: string, setting: string): boolean {
  if (name === setting.toUpperCase()) return true;
  // The first letter must match: people nearly always type it right, and OpenSSL's SSL_CERT_FILE must not count.
  if (Math.min(name.length, setting.length) < LENGTH_MIN || name[0] !== setting[0]) return false;
  return Math.abs(name.length - setting.length) <= SLIPS_MAX && slipsBetween(name, setting) <= SLIPS_MAX;
}

const isLike = (name: string, setting: string) =>
  leavesWordsOut(name, setting) || differsInNumber(name, setting) || hasSlips(name, setting);

/** OpenTelemetry has many more settings with these names, for other programs of the same machine. */
const OF_OPENTELEMETRY = /^OTEL_/;

/** Other programs read these, and in small letters too. */
const OF_PROXIES = /^(https?|ftp|all|no)_proxy$/i;

/**
 * A line for each name that is not in `known` but resembles a known name. The value is not quoted: it may be a secret.
 * All names are given without `ending`, and told with it.
 */
export function misspelledNames(given: readonly string[], known: readonly string[], ending = ''): string[] {
  return given
    .filter((name) => !known.includes(name) && !OF_OPENTELEMETRY.test(name) && !OF_PROXIES.test(name))
    .flatMap((name) => {
      const meant = known.find((setting) => isLike(name.toUpperCase(), setting));
      return meant === undefined
        ? []
        : [`${name}${ending}: is not a setting. Did you mean ${meant}${ending}?`];
    });
}

/** A line for each name that differs from one of `known` in a few letters, and in nothing else. */
export function slipsOf(given: readonly string[], known: readonly string[]): string[] {
  return given.flatMap((name) => {
    const meant = known.find((setting) => hasSlips(name.toUpperCase(), setting));
    return meant === undefined ? [] : [`${name}: is not a setting. Did you mean ${meant}?`];
  });
}

/** First words that hardly any other program uses, and first words that many programs use. */
const OWN_FAMILIES = ['MODERN', 'LEGACY', 'REMINDER', 'PROFILES', 'GRANT'];
const SHARED_FAMILIES = ['SMTP', 'MAIL', 'DATABASE', 'OTEL'];

/** Kubernetes and Docker set such names for a service whose name begins like one of the settings. */
const OF_A_SERVICE = /_SERVICE_(HOST|PORT)|_PORT_\d+_(TCP|UDP)/;

const familyOf = (name: string) => name.split('_')[0] ?? '';

/** Shorter words resemble words of other programs: PORTS, HOSTS. */
const DOUBT_LENGTH_MIN = 6;

const isNear = (name: string, setting: string) =>
  Math.min(name.length, setting.length) >= DOUBT_LENGTH_MIN && slipsBetween(name, setting) <= 1;

/** A name of a shared family says nothing where a setting of the family is given: it is most likely another program's. */
function familyDoubt(name: string, given: readonly string[], known: readonly string[]): string | undefined {
  const family = familyOf(name);
  const settings = known.filter((setting) => familyOf(setting) === family);
  const isShared = SHARED_FAMILIES.includes(family) && !settings.some((setting) => given.includes(setting));
  if (!isShared && !OWN_FAMILIES.includes(family)) return undefined;
  return `${name}: is not read. The bridge reads ${settings.join(', ')}`;
}

/**
 * A line for each name that may be meant for a setting, and may as well belong to another program. So these names
 * refuse no start.
 */
export function doubtfulNames(given: readonly string[], known: readonly string[]): string[] {
  const doubtOf = (name: string) => {
    const meant = known.find((setting) => isNear(name, setting));
    if (meant === undefined) return name.includes('_') ? familyDoubt(name, given, known) : undefined;
    // Only the underscores differ, so no other program means this name.
    const isSame = name.replaceAll('_', '') === meant.replaceAll('_', '');
    return given.includes(meant) && !isSame ? undefined : `${name}: is not read. Did you mean ${meant}?`;
  };
  return given
    .filter((name) => !known.includes(name) && !OF_A_SERVICE.test(name))
    .flatMap((name) => doubtOf(name) ?? []);
}
