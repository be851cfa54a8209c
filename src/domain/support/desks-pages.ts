import type { DeskKey } from '../../store/support/desks.ts';
import type { Stack } from './desks.ts';

/**
 * One page of a desk. The cursor names the last row before the page, and stays valid after that row has left the desk.
 */

/** Rows of one page. */
const PAGE = 50;

const CURSOR = /^(-?\d{1,16})\.(.{1,200})$/;

function cursorOf({ rank, id }: DeskKey): string {
  return `${rank}.${id}`;
}

function isAfter(cursor: string | undefined): (key: DeskKey) => boolean {
  const [, rank, id = ''] = CURSOR.exec(cursor ?? '') ?? [];
  if (rank === undefined) return () => true;
  return (key) => key.rank > Number(rank) || (key.rank === Number(rank) && key.id > id);
}

export interface DeskPage<Row> {
  rows: Row[];
  /** How many rows come before the first row of the page; undefined where the number is not known. */
  before: number | undefined;
  /** How many rows are counted, up to the bound of the desk. */
  count: number;
  isMore: boolean;
  /** How many rows the desk has, where all are counted. */
  total?: number | undefined;
  /** The cursor of the next page; undefined on the last page. */
  next: string | undefined;
}

/** The page of a stack after a cursor, with its rows in the order of the stack. */
export async function pageOf<Key extends DeskKey, Row extends { id: string }>(
  { keys, isMore, total }: Stack<Key>,
  after: string | undefined,
  read: (ids: string[], keys: Key[]) => Promise<Row[]>,
): Promise<DeskPage<Row>> {
  const rest = keys.filter(isAfter(after));
  const shown = rest.slice(0, PAGE);
  const ids = shown.map(({ id }) => id);
  const rows = new Map((ids.length === 0 ? [] : await read(ids, shown)).map((row) => [row.id, row]));
  const last = shown.at(-1);
  return {
    rows: ids.flatMap((id) => rows.get(id) ?? []),
    before: keys.length - rest.length,
    count: keys.length,
    isMore,
    total,
    next: last && rest.length > shown.length ? cursorOf(last) : undefined,
  };
}
