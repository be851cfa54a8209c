import type { Request } from 'express';
import { type PagePosition, readKey } from '../../shared/list-pages.ts';
import { tokensIn as secretsIn } from '../../shared/log/token-like.ts';
import { PageError } from '../pages/page-error.ts';

/**
 * What the address of a long list asks for: `show` (a tab), `sort`, `find` (a search), and `after` or `back` (a page).
 * A value that the list does not know is refused: a page that shows something else than its address says would mislead.
 */

/** What a list can show. The first tab and the first order are those of an address that names none. */
export interface TableForm<Tab extends string = string, Sort extends string = string> {
  tabs: readonly Tab[];
  /** The orders of a tab. */
  sortsOf: (tab: Tab) => readonly Sort[];
  /** Before the names in the address, where a page has two lists. */
  prefix?: string;
}

export interface TableQuery<Tab extends string = string, Sort extends string = string> {
  tab: Tab;
  sort: Sort;
  find: string | undefined;
  position: PagePosition | undefined;
}

/** The longest text of a search in a list. */
const FIND_MAX = 80;

function wrong(req: Request, reason: string, next = 'Open the list from its start.'): PageError {
  return new PageError(400, 'The list cannot be shown so', {
    reason,
    next,
    wayOn: { href: req.path, label: 'The list from its start' },
  });
}

/** One parameter; undefined where it is missing or empty. */
function textIn(req: Request, name: string): string | undefined {
  const value = req.query[name];
  if (value === undefined || value === '') return undefined;
  if (typeof value === 'string') return value;
  throw wrong(req, `The address says “${name}” more than once.`);
}

function oneOf<T extends string>(req: Request, name: string, known: readonly T[]): T {
  const text = textIn(req, name);
  const found = known.find((one) => one === text) ?? (text === undefined ? known[0] : undefined);
  if (found !== undefined) return found;
  throw wrong(req, `The address asks for a “${name}” that this list does not have.`);
}

/**
 * The text of a search, from an address or a form.
 * @throws {PageError} where the text is too long, or looks like a token, which must not stand in an address
 */
export function findText(req: Request, given: string | undefined): string | undefined {
  const text = given?.trim().replace(/\s+/g, ' ') ?? '';
  if (text === '') return undefined;
  if (secretsIn(text).length > 0)
    throw wrong(
      req,
      'This looks like a whole token. A token must not stand in an address, so it was not looked for.',
      'Search for its first or last four characters.',
    );
  if (text.length <= FIND_MAX) return text;
  throw wrong(req, `A search in a list takes ${FIND_MAX} characters at most.`);
}

function positionIn(req: Request, prefix: string): PagePosition | undefined {
  const [after, back] = [textIn(req, `${prefix}after`), textIn(req, `${prefix}back`)];
  if (after !== undefined && back !== undefined)
    throw wrong(req, 'The address asks for the page after a row and for the page before one.');
  const text = after ?? back;
  if (text === undefined) return undefined;
  const key = readKey(text);
  if (key) return { key, to: after === undefined ? 'back' : 'after' };
  throw wrong(req, 'The address names a place in the list that no list has.');
}

/**
 * Reads what an address asks of a list.
 * @throws {PageError} 400 where the address asks for what the list does not have
 */
export function readTable<Tab extends string, Sort extends string>(
  req: Request,
  form: TableForm<Tab, Sort>,
): TableQuery<Tab, Sort> {
  const { prefix = '' } = form;
  const tab = oneOf(req, `${prefix}show`, form.tabs);
  return {
    tab,
    sort: oneOf(req, `${prefix}sort`, form.sortsOf(tab)),
    find: findText(req, textIn(req, `${prefix}find`)),
    position: positionIn(req, prefix),
  };
}
