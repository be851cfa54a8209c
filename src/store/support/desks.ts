import { type RawBuilder, sql, type SqlBool } from 'kysely';
import { PAGE_ROWS, type PageKey, type PagePosition } from '../../shared/list-pages.ts';
import type { Database } from '../driver/store.ts';
import type { DeskFind, DeskSource } from './desk-sources.ts';

/** One page of a desk of support, and how many rows it has. A page reads its own rows alone, a count reads an index. */

export interface DeskPart {
  /** A tab of the desk; undefined for all its rows. */
  tab?: string | undefined;
  /** An order of the desk; its first one unless given. */
  sort?: string | undefined;
  find?: DeskFind | undefined;
}

const allOf = (conditions: ReadonlyArray<RawBuilder<SqlBool> | undefined>) =>
  sql<SqlBool>`${sql.join(
    conditions.filter((one) => one !== undefined),
    sql` and `,
  )}`;

const isIn = (source: DeskSource, { tab, find }: DeskPart) =>
  allOf([source.is, tab === undefined ? undefined : source.tabs[tab], find && source.finds(find)]);

/** The order, and whether a key lies after another in it. */
function orderOf({ sorts, id }: DeskSource, { sort }: DeskPart) {
  const order = sorts[sort ?? ''] ?? Object.values(sorts)[0];
  if (order === undefined) throw new Error('a desk has an order');
  const beside = (key: PageKey, isAfter: boolean) =>
    sql<SqlBool>`(${order.rank}, ${id}) ${isAfter === (order.isFalling ?? false) ? sql`<` : sql`>`} (${key.rank}, ${key.id})`;
  return { ...order, beside };
}

/** The keys that follow a position, one further than a page holds. Those before a position come nearest first. */
export async function deskKeys(
  db: Database,
  source: DeskSource,
  query: DeskPart & { position: PagePosition | undefined },
): Promise<PageKey[]> {
  const { position } = query;
  const { rank, isFalling = false, beside } = orderOf(source, query);
  const isAfter = position?.to !== 'back';
  const from = position && beside(position.key, isAfter);
  const direction = isAfter === isFalling ? sql`desc` : sql`asc`;
  const { rows } = await sql<{ id: string; rank: number | string }>`
    select ${source.id} as id, ${rank} as rank from ${source.from} where ${allOf([isIn(source, query), from])}
    order by ${rank} ${direction}, ${source.id} ${direction} limit ${PAGE_ROWS + 1}`.execute(db);
  return rows.map((row) => ({ id: row.id, rank: Number(row.rank) }));
}

/** How many rows come before a row. */
export async function countBefore(
  db: Database,
  source: DeskSource,
  query: DeskPart & { key: PageKey },
): Promise<number> {
  const { beside } = orderOf(source, query);
  const { rows } = await sql<{ n: number | string }>`
    select count(*) as n from ${source.from}
    where ${allOf([isIn(source, query), beside(query.key, false)])}`.execute(db);
  return Number(rows[0]?.n ?? 0);
}

/** How many rows a desk has, in all and on each tab; of a search: how many fit. */
export async function countDesk(
  db: Database,
  source: DeskSource,
  find?: DeskFind,
): Promise<Record<string, number>> {
  const tabs = Object.entries(source.tabs).map(
    ([name, is]) => sql`, count(case when ${is} then 1 end) as ${sql.ref(name)}`,
  );
  const { rows } = await sql<Record<string, number | string>>`
    select count(*) as ${sql.ref('all')}${sql.join(tabs, sql``)} from ${source.from}
    where ${isIn(source, { find })}`.execute(db);
  return Object.fromEntries(Object.entries(rows[0] ?? {}).map(([name, n]) => [name, Number(n)]));
}
