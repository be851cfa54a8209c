import { redactText } from '../../shared/log/redaction.ts';

/**
 * Where a token was found, as one line of text. Whoever put the token there chose the address, and it may hold the token
 * itself. So the text is bounded, stands on one line, and holds no secret. It is never made a link.
 */

/** Longer texts are cut first, because a long text takes long to clean. */
const READ_MAX = 2_000;

const PLACE_MAX = 300;

const NOT_SAID = 'place not said';

/** What is not there for a reader, or turns text around. In the midst of a token it would hide the token. */
const UNSEEN = /[\p{Cf}\p{Co}\p{Cs}]+/gu;

/** What separates words. */
const BLANKS = /[\p{Cc}\p{Zl}\p{Zp}\s]+/gu;

/**
 * The id of a commit, which has the length of a secret. It stands in the path of most reports, and nobody finds the place
 * without it. What follows `1/` may be a token.
 */
const COMMIT = /(?<=\/)(?<!1(?:\\*\/)+)([0-9a-f]{40}(?:[0-9a-f]{24})?)(?=[/#\s]|$)/;

/** A query is the part of an address where tokens travel. */
const QUERY = /\?[^# ]*/g;

const MASK = '[redacted]';

/** A word that was cut may be a part of a token, too short to be known as one. */
const CUT_WORD = /[\w%.~/+=-]{0,200}$/;

const BETWEEN = String.raw`[\p{Cc}\s]*`;

/** A pattern of the text, also with blanks between its characters. */
const loose = (text: string): string =>
  Array.from(text, (one) => one.replace(/[\\^$.*+?()[\]{}|/]/, String.raw`\$&`)).join(BETWEEN);

/** A token, with blanks in its midst or without, and without its `1/`. */
function patternsOf(token: string): RegExp[] {
  const forms = [token, token.replace(/^1\//, '')].filter((form) => form.length >= 8);
  return forms.map((form) => new RegExp(loose(form), 'giu'));
}

/** An escape of a letter, a digit or a slash, which nobody needs and which would hide a token. */
const ESCAPES = /%(2f|3[0-9]|[46][1-9a-f]|[57][0-9a])/gi;

/** Undone as often as it was done: `%2530` is `%30`, is `0`. */
function unescaped(text: string): string {
  const plain = text
    .replaceAll(/%(?:25)+/gi, '%')
    .replaceAll(ESCAPES, (_escape, code: string) => String.fromCharCode(Number.parseInt(code, 16)));
  return plain === text ? text : unescaped(plain);
}

function withoutToken(text: string, token: string): string {
  return patternsOf(token).reduce((rest, pattern) => rest.replace(pattern, MASK), text);
}

/** Every second part is the id of a commit. */
const redactAround = (text: string) =>
  text
    .split(COMMIT)
    .map((part, at) => (at % 2 === 1 ? part : redactText(part)))
    .join('');

/** The place of a report in words, without secrets, at most 300 characters. */
export function placeWords({ token, found }: { token: string; found: string }): string {
  const begin = found.length > READ_MAX ? found.slice(0, READ_MAX).replace(CUT_WORD, '') : found;
  const read = unescaped(begin).normalize('NFC').replace(UNSEEN, '');
  const shown = withoutToken(read, token).replace(QUERY, '').replace(BLANKS, ' ').trim();
  const clean = Array.from(redactAround(shown));
  const cut = clean.length > PLACE_MAX ? `${clean.slice(0, PLACE_MAX - 1).join('')}…` : clean.join('');
  return cut === '' ? NOT_SAID : cut;
}
