import { tokensIn } from '../../shared/log/token-like.ts';

/**
 * A typed text that looks like a token must appear on no page, whichever field held the text. A page that shows a form
 * again replaces the text. Secrets that a page is meant to show once stay, because nobody has typed them.
 */

/** Fields whose values our own pages have put into the form. */
const OURS = new Set(['_form', 'csrf', 'new_id']);

/** A client id of the new API may be as long as a token, and the person has to read it again. */
const LONG_IDS = new Set(['modern_client_id']);

const IS_LEGACY = /^1(?:\/|%2F)/i;

const isOurs = (name: string) => OURS.has(name) || name.startsWith('seen_');

function tokensOf([name, value]: [name: string, value: string]): string[] {
  if (isOurs(name)) return [];
  return tokensIn(value).filter((token) => !LONG_IDS.has(name) || IS_LEGACY.test(token));
}

/** The parts of an address of ours. They name the subject of the page. */
export function idsInAddress(address: string): string[] {
  const path = address.split('?')[0] ?? '';
  return path.split('/').flatMap((part) => {
    try {
      return [decodeURIComponent(part)];
    } catch {
      return [];
    }
  });
}

const REMOVED = '[removed: it looks like a token]';

/** A sentence that cuts a long entry off shows no more than this many characters of a token. */
const HINT = 10;

/** Replaces the beginning of a token at the end of a text that was cut off. */
function withoutBeginning(html: string, token: string): string {
  const at = html.indexOf(token.slice(0, HINT));
  const end = at < 0 ? -1 : html.indexOf('…', at);
  const isCut = end > 0 && token.startsWith(html.slice(at, end));
  return isCut ? html.slice(0, at) + REMOVED + html.slice(end) : html;
}

/**
 * The page without the typed tokens. Letters, digits and hyphens are the same in HTML as typed. Known ids stay, such as
 * the id of an imported app.
 */
export function withoutTypedTokens(
  html: string,
  fields: Readonly<Record<string, string>>,
  knownIds: readonly string[],
): string {
  return Object.entries(fields)
    .flatMap(tokensOf)
    .filter((token) => !knownIds.includes(token))
    .reduce((clean, token) => withoutBeginning(clean.replaceAll(token, REMOVED), token), html);
}
