/**
 * Cleans names and user agents, which anybody may choose (docs/threats.md F110). In a mail these texts are short, stand
 * on one line, hide nothing, turn no text around, and never become a link.
 */

/** The most graphemes of a name in a mail. A registered name may have 120 characters, an imported name 200. */
const NAME_MAX = 40;
const AGENT_MAX = 60;

/** Longer texts are cut first, because a long text takes long to clean. */
const READ_MAX = 2000;

/** Characters without a shape, except the joiner inside emoji. */
const SHAPELESS = /(?!\u200D)[\p{Cc}\p{Cf}\p{Co}\p{Cs}]|[\uFE00-\uFE0D\u{E0100}-\u{E01EF}]/gu;

/** Letters and marks that are invisible. */
const BLANKS = /\u034F|\u115F|\u1160|\u17B4|\u17B5|[\u180B-\u180F]|\u2800|\u3164|\uFFA0/gu;

/** A joiner that does not stand between two pictures. */
const STRAY_JOINER =
  /(?<![\p{Extended_Pictographic}\p{Emoji_Modifier}\uFE0F])\u200D|\u200D(?!\p{Extended_Pictographic})/gu;

/** Many marks on one letter reach into other lines; three marks stay. */
const PILED_MARKS = /(\p{M}{3})\p{M}+/gu;

/** Quotes are removed, because a mail puts names in quotes. */
const QUOTES = /["“”„‟«»‹›＂`]/g;

const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' });

function cut(text: string, max: number): string {
  const parts = Array.from(graphemes.segment(text), ({ segment }) => segment);
  return parts.length <= max
    ? text
    : `${parts
        .slice(0, max - 1)
        .join('')
        .trimEnd()}…`;
}

/**
 * Mail programs turn every text that looks like an address into a link. Blanks inside a whole address prevent the link.
 */
function unlinked(word: string): string {
  const isLink = /:\/\/|@|^\W*www\.|\.[a-z]{2,}[/:?#]/i.test(word);
  return isLink ? word.replace(/:\/\/|@/g, ' $& ').replace(/\.(?=[\p{L}\p{N}])/gu, '. ') : word;
}

/**
 * A dot that an ending of an address may follow, in any script. Browsers read several dots alike. Names of files and
 * libraries have endings too: endings that are no top-level domain (`js`, `json`, `php`, `rb`) stay as they are.
 */
const ADDRESS_DOT =
  /(?<=[\p{L}\p{N}])[.\u3002\uFF0E\uFF61](?=\p{L}{2})(?!(?:js|json|php|rb)(?![\p{L}\p{N}-]|[.\u3002\uFF0E\uFF61][\p{L}\p{N}]))/giu;

/** An invisible character that breaks no line. No mail program reads an address across this character. */
const WORD_JOINER = '\u2060';

/** The scripts that are written from right to left. */
const RIGHT_TO_LEFT = /[\u0590-\u08FF\uFB1D-\uFDFF\uFE70-\uFEFC\u{10800}-\u{10FFF}\u{1E800}-\u{1EFFF}]/u;

/**
 * Such a text at the beginning of a sentence turns the sentence around, and takes the number after it to its other side. Within
 * an isolate (UAX #9, FSI and PDI) the text turns nothing but itself.
 */
const isolated = (text: string) => (RIGHT_TO_LEFT.test(text) ? `\u2068${text}\u2069` : text);

function plain(text: string, max: number): string {
  const shown = text
    .slice(0, READ_MAX)
    .normalize('NFC')
    .replace(/[\p{Cc}\p{Z}]+/gu, ' ')
    .replace(SHAPELESS, '')
    .replace(BLANKS, '')
    .replace(STRAY_JOINER, '')
    .replace(PILED_MARKS, '$1');
  const words = shown.replace(QUOTES, '').split(' ');
  const whole = words.map(unlinked).join(' ').replace(/ +/g, ' ').trim();
  return isolated(cut(whole, max).replace(ADDRESS_DOT, `$&${WORD_JOINER}`));
}

/** The name of an app, for use in quotes; the client id when the name has no visible text. */
export function plainName(name: string, clientId: string): string {
  return plain(name, NAME_MAX) || clientId;
}

/** The name of a person, as its account has it; empty when it has no visible text. */
export function plainPerson(name: string): string {
  return plain(name, NAME_MAX);
}

/** Long enough for an address of which the reader has to find the place again. */
const PLACE_MAX = 200;

/** A place where a token was found, cleaned for a mail. It never becomes a link. */
export function plainPlace(text: string): string {
  return plain(text, PLACE_MAX);
}

/** The home page in a user agent. A mail must not lead readers to a page that a program chose. */
const HOME_PAGE = /[;,]?\s*\+?https?:\/\/[^\s);,]*/gi;

/** A user agent or an endpoint from usage, cleaned for a mail. */
export function plainWords(text: string): string {
  return plain(text.replace(HOME_PAGE, ''), AGENT_MAX) || 'unknown';
}
