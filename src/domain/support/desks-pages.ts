import { pageFrom, type PageEnds, type PagePosition } from '../../shared/list-pages.ts';
import { countBefore, countDesk, deskKeys } from '../../store/support/desks.ts';
import type { DeskFind } from '../../store/support/desk-sources.ts';
import { namesOfApps } from '../../store/support/apps-by-part.ts';
import { peopleByPart } from '../people/find-people.ts';
import { folded, spellingsOf } from '../people/near-words.ts';
import type { SupportDeps } from './deps.ts';
import { type DeskSort, type DeskTab, sourceOf, type StackedDesk } from './desks.ts';

/**
 * One page of a desk, or of what a text finds on it. A position names a row beside the page, and stays valid after that
 * row has left the desk.
 */

export interface DeskQuery {
  /** All rows unless given. */
  tab?: DeskTab;
  /** The first order of the desk unless given. */
  sort?: DeskSort;
  position: PagePosition | undefined;
  /** The text of a search. */
  find: string | undefined;
}

export interface DeskPage<Row> extends PageEnds {
  rows: Row[];
  /** How many rows come before the first row of the page. */
  before: number;
  /** How many rows there are on each tab; of a search: how many fit. */
  counts: Partial<Record<DeskTab, number>>;
  /** Whether a search may have missed rows: too many people have these letters. */
  isCut: boolean;
}

/** What a search fits: apps by a part of their names, people by a part of theirs, and the text itself. */
async function findOf(context: SupportDeps, text: string): Promise<DeskFind & { isCut: boolean }> {
  const wanted = folded(text);
  const [apps, { people, isCut }] = await Promise.all([
    namesOfApps(context.store.durable),
    peopleByPart(context, text),
  ]);
  return {
    texts: [...new Set([text, wanted].flatMap(spellingsOf))],
    clientIds: apps
      .filter(({ client_id: id, name }) => id === text || folded(name).includes(wanted))
      .map(({ client_id: id }) => id),
    accountIds: [
      text,
      ...people.flatMap(({ person }) => (person.startsWith('account:') ? [person.slice(8)] : [])),
    ],
    isCut,
  };
}

/** A page of a desk, with its rows in the order of the desk. `read` reads rows by their ids, in any order. */
export async function pageOf<Row extends { id: string }>(
  context: SupportDeps,
  { desk, query }: { desk: StackedDesk; query: DeskQuery },
  read: (ids: string[]) => Promise<Row[]>,
): Promise<DeskPage<Row>> {
  const { durable } = context.store;
  const { position, sort } = query;
  const source = sourceOf(context, desk);
  const find = query.find === undefined ? undefined : await findOf(context, query.find);
  const tab = query.tab === 'all' ? undefined : query.tab;
  const [counts, found] = await Promise.all([
    countDesk(durable, source, find),
    deskKeys(durable, source, { tab, sort, find, position }),
  ]);
  const { keys, previous, next } = pageFrom(found, position);
  const ids = keys.map(({ id }) => id);
  const rows = new Map((ids.length === 0 ? [] : await read(ids)).map((row) => [row.id, row]));
  const [key] = keys;
  return {
    rows: ids.flatMap((id) => rows.get(id) ?? []),
    before: position && key ? await countBefore(durable, source, { tab, sort, find, key }) : 0,
    counts,
    isCut: find?.isCut ?? false,
    previous,
    next,
  };
}
