import { tokensIn } from '../../shared/log/token-like.ts';

/**
 * Whatever a person pasted that looks like a token stands on no page, in whichever field it was: a page that shows a form
 * again with what was typed shows it without that. What a page is made to show once was typed by nobody.
 */

/** The values that a page of ours has put into its own form. */
const OURS = new Set(['_form', 'csrf', 'new_id']);

/** The id of a client at the modern side may be as long as a token is, and is typed to be read. */
const LONG_IDS = new Set(['modern_client_id']);

const IS_LEGACY = /^1(?:\/|%2F)/i;

const isOurs = (name: string) => OURS.has(name) || name.startsWith('seen_');

function tokensOf([name, value]: [name: string, value: string]): string[] {
  if (isOurs(name)) return [];
  return tokensIn(value).filter((token) => !LONG_IDS.has(name) || IS_LEGACY.test(token));
}

/** The parts of an address of ours; they name what the page is about. */
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

/** So much of one is told by a sentence that cuts a long entry off, and no more. */
const HINT = 10;

/** A part of one at the end of a text that was cut off. */
function withoutBeginning(html: string, token: string): string {
  const at = html.indexOf(token.slice(0, HINT));
  const end = at < 0 ? -1 : html.indexOf('…', at);
  const isCut = end > 0 && token.startsWith(html.slice(at, end));
  return isCut ? html.slice(0, at) + REMOVED + html.slice(end) : html;
}

/**
 * The page without it; letters, digits and hyphens stand in HTML as they were typed. What is known for an id, such as an
 * imported app's, stays.
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
