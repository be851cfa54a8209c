import { keysFrom, pageFrom, type PageEnds, type PagePosition } from '../../shared/list-pages.ts';
import type { DeskKey } from '../../store/support/desks.ts';
import { folded } from '../people/near-words.ts';
import type { Stack } from './desks.ts';

/**
 * One page of a desk, or of what a text finds on it. A position names a row beside the page, and stays valid after that
 * row has left the desk.
 */

export interface DeskQuery {
  position: PagePosition | undefined;
  /** The text of a search. */
  find: string | undefined;
}

export interface DeskPage<Row> extends PageEnds {
  rows: Row[];
  /** How many rows come before the first row of the page. */
  before: number;
  /** How many rows are counted, up to the bound of the desk; of a search: how many fit. */
  count: number;
  isMore: boolean;
  /** How many rows the desk has, where all are counted. */
  total?: number | undefined;
}

/** The texts of a row, and of the rows in it. */
function wordsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  return value !== null && typeof value === 'object' ? Object.values(value).flatMap(wordsIn) : [];
}

type ReadRows<Key, Row> = (ids: string[], keys: Key[]) => Promise<Row[]>;

/** The keys whose rows hold the text. All rows of the desk are read, which are a thousand at most. */
async function keysWith<Key extends DeskKey, Row extends { id: string }>(
  keys: readonly Key[],
  find: string,
  read: ReadRows<Key, Row>,
): Promise<Key[]> {
  const all = [...keys];
  const rows =
    all.length === 0
      ? []
      : await read(
          all.map(({ id }) => id),
          all,
        );
  const wanted = folded(find);
  const found = new Set(
    rows.filter((row) => folded(wordsIn(row).join('\n')).includes(wanted)).map(({ id }) => id),
  );
  return all.filter(({ id }) => found.has(id));
}

/** A page of a stack, with its rows in the order of the stack. */
export async function pageOf<Key extends DeskKey, Row extends { id: string }>(
  { keys: all, isMore, total }: Stack<Key>,
  { position, find }: DeskQuery,
  read: ReadRows<Key, Row>,
): Promise<DeskPage<Row>> {
  const keys = find === undefined ? all : await keysWith(all, find, read);
  const page = pageFrom(keysFrom(keys, position, 'rising'), position);
  const ids = page.keys.map(({ id }) => id);
  const rows = new Map((ids.length === 0 ? [] : await read(ids, page.keys)).map((row) => [row.id, row]));
  return {
    rows: ids.flatMap((id) => rows.get(id) ?? []),
    before: Math.max(
      0,
      keys.findIndex(({ id }) => id === ids[0]),
    ),
    count: keys.length,
    isMore,
    total: find === undefined ? total : undefined,
    previous: page.previous,
    next: page.next,
  };
}
