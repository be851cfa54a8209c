/**
 * Names and user agents are anybody's text (docs/threats.md F110). In a mail they are short, stand on one line, hide
 * nothing, turn no text around, and never become a link.
 */

/** Graphemes of a name; an app's name may have 120 characters. */
const NAME_MAX = 40;
const AGENT_MAX = 60;

/** Nobody reads on beyond this, and a long text is slow to take apart. */
const READ_MAX = 2000;

/** What has no shape of its own, without the joiner that emoji are made with. */
const SHAPELESS = /(?!\u200D)[\p{Cc}\p{Cf}\p{Co}\p{Cs}]|[\uFE00-\uFE0D\u{E0100}-\u{E01EF}]/gu;

/** Letters and marks that look like nothing. */
const BLANKS = /\u034F|\u115F|\u1160|\u17B4|\u17B5|[\u180B-\u180F]|\u2800|\u3164|\uFFA0/gu;

/** Anywhere but between two pictures. */
const STRAY_JOINER =
  /(?<![\p{Extended_Pictographic}\p{Emoji_Modifier}\uFE0F])\u200D|\u200D(?!\p{Extended_Pictographic})/gu;

/** Marks pile up on one letter beyond its line. */
const PILED_MARKS = /(\p{M}{3})\p{M}+/gu;

/** Names stand in quotes. */
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

/** Mail programs make links of what looks like one, wherever it stands; a blank in a whole one shows that it is none. */
function unlinked(word: string): string {
  const isLink = /:\/\/|@|^\W*www\.|\.[a-z]{2,}[/:?#]/i.test(word);
  return isLink ? word.replace(/:\/\/|@/g, ' $& ').replace(/\.(?=[\p{L}\p{N}])/gu, '. ') : word;
}

/**
 * A dot that an ending of an address may follow, in any script, also one of the dots that browsers read alike. Files and
 * libraries are called by endings too: those that are no top-level domain stay as they are.
 */
const ADDRESS_DOT =
  /(?<=[\p{L}\p{N}])[.\u3002\uFF0E\uFF61](?=\p{L}{2})(?!(?:js|json|php|rb)(?![\p{L}\p{N}-]|[.\u3002\uFF0E\uFF61][\p{L}\p{N}]))/giu;

/** Shows nothing and breaks no line, and no mail program reads an address across it. */
const WORD_JOINER = '\u2060';

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
  return cut(whole, max).replace(ADDRESS_DOT, `$&${WORD_JOINER}`);
}

/** The name of an app, to stand in quotes; its client id where the name has nothing to show. */
export function plainName(name: string, clientId: string): string {
  return plain(name, NAME_MAX) || clientId;
}

/** Where a program says more of itself; nobody shall be led there. */
const HOME_PAGE = /[;,]?\s*\+?https?:\/\/[^\s);,]*/gi;

/** What usage knows of a caller: a user agent or an endpoint. */
export function plainWords(text: string): string {
  return plain(text.replace(HOME_PAGE, ''), AGENT_MAX) || 'unknown';
}
