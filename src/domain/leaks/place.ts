import { redactText } from '../../shared/log/redaction.ts';

/**
 * Where a token was found, as one line of text. Whoever put the token there chose the address, and it may hold the token
 * itself. So the text is bounded, stands on one line, and holds no secret. It is never made a link.
 */

/** Longer texts are cut first, because a long text takes long to clean. */
const READ_MAX = 2_000;

const PLACE_MAX = 300;

const NOT_SAID = 'place not said';

/** Everything that is invisible or turns text around. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Zl}\p{Zp}\s]+/gu;

/**
 * The id of a commit, which has the length of a secret. It stands in the path of most reports, and nobody finds the place
 * without it. What follows `1/` may be a token.
 */
const COMMIT = /(?<=[^1]\/)([0-9a-f]{40}(?:[0-9a-f]{24})?)(?=[/#\s]|$)/;

/** A query is the part of an address where tokens travel. */
const QUERY = /\?[^#\s]*/g;

const MASK = '[redacted]';

/** A token in the forms in which an address may hold it, and without its `1/`. */
function formsOf(token: string): string[] {
  const forms = [token, encodeURIComponent(token), token.replace(/^1\//, '')];
  return forms.flatMap((form) => [form, form.toLowerCase()]).filter((form) => form.length >= 8);
}

function withoutToken(text: string, token: string): string {
  return formsOf(token).reduce((rest, form) => rest.replaceAll(form, MASK), text);
}

/** Every second part is the id of a commit. */
const redactAround = (text: string) =>
  text
    .split(COMMIT)
    .map((part, at) => (at % 2 === 1 ? part : redactText(part)))
    .join('');

/** The place of a report in words, without secrets, at most 300 characters. */
export function placeWords({ token, found }: { token: string; found: string }): string {
  const shown = found.slice(0, READ_MAX).normalize('NFC').replace(UNSEEN, ' ').replace(QUERY, '').trim();
  const clean = Array.from(redactAround(withoutToken(shown, token)));
  const cut = clean.length > PLACE_MAX ? `${clean.slice(0, PLACE_MAX - 1).join('')}…` : clean.join('');
  return cut === '' ? NOT_SAID : cut;
}
