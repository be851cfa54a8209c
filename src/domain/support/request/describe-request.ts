import { eventsOfRequest, writesOfRequest } from '../../../store/support/request-marks.ts';
import {
  accountsWith,
  type AccountFound,
  type AppFound,
  appWithId,
  mappingsWith,
} from '../../../store/support/support-search.ts';
import type { ShownEvent } from '../../../store/support/support-events.ts';
import type { PostWriteRow } from '../../../store/tables/posts.ts';
import type { MappingRow } from '../../../store/tokens/find-mappings.ts';
import type { SupportDeps } from '../deps.ts';
import { actorNames } from '../timeline.ts';

/**
 * What one request left behind: entries of the history, and writes to the new API. A request that changed nothing left
 * nothing here: of it only the log knows.
 */

/** The entries on one page, and the most writes of one request: a call writes a few posts. A job has thousands of entries. */
const LISTED_MAX = 100;

interface RequestMarks {
  events: ShownEvent[];
  writes: PostWriteRow[];
  /** The id of the last entry of this page, where more follow. */
  next?: number | undefined;
}

async function marksOf(
  { store }: Pick<SupportDeps, 'store'>,
  id: string,
  after: number,
): Promise<RequestMarks> {
  const [found, writes] = await Promise.all([
    eventsOfRequest(store.durable, id, { after, limit: LISTED_MAX + 1 }),
    // They stand on the first page alone, for a program adds its pages up.
    after === 0 ? writesOfRequest(store.durable, id, LISTED_MAX) : [],
  ]);
  const events = found.slice(0, LISTED_MAX);
  return { events, writes, next: found.length > events.length ? events.at(-1)?.id : undefined };
}

const present = <Id>(ids: ReadonlyArray<Id | null>): Id[] => [
  ...new Set(ids.filter((id): id is Id & NonNullable<Id> => id !== null)),
];

/** The tokens that the marks name. Where they name none: the tokens of the grants that they name. */
async function tokensOf({ store }: Pick<SupportDeps, 'store'>, { events, writes }: RequestMarks) {
  const { durable } = store;
  const ids = present([...events, ...writes].map(({ mapping_id: id }) => id));
  const grantIds = ids.length > 0 ? [] : present(events.map(({ grant_id: id }) => id));
  const found = await Promise.all([
    ...ids.map((id) => mappingsWith(durable, { id }, 1)),
    ...grantIds.map((id) => mappingsWith(durable, { grant_id: id }, LISTED_MAX)),
  ]);
  return found.flat();
}

/** Where a request leads: to its tokens; else to its apps; else to its accounts. */
export async function subjectsOfRequest(
  context: Pick<SupportDeps, 'store'>,
  id: string,
): Promise<{ tokens: MappingRow[]; apps: AppFound[]; accounts: AccountFound[] }> {
  const marks = await marksOf(context, id, 0);
  const { durable } = context.store;
  const tokens = await tokensOf(context, marks);
  const clientIds = tokens.length > 0 ? [] : present(marks.events.map(({ client_id: client }) => client));
  const apps = await Promise.all(clientIds.map((client) => appWithId(durable, client)));
  const accountIds =
    tokens.length + apps.length > 0 ? [] : present(marks.events.map(({ account_id: account }) => account));
  const accounts = await Promise.all(accountIds.map((account) => accountsWith(durable, { id: account }, 1)));
  return { tokens, apps: apps.filter((app) => app !== undefined), accounts: accounts.flat() };
}

export interface RequestDescription extends RequestMarks {
  tokens: MappingRow[];
  /** The names of the people who acted, by account id. */
  names: ReadonlyMap<string, string>;
}

/** What one request left behind, from the entry after the id `after` on; undefined where nothing is left there. */
export async function describeRequest(
  context: Pick<SupportDeps, 'store'>,
  id: string,
  after = 0,
): Promise<RequestDescription | undefined> {
  const marks = await marksOf(context, id, after);
  if (marks.events.length + marks.writes.length === 0) return undefined;
  const actors = marks.events.map(({ actor }) => actor);
  const [tokens, names] = await Promise.all([tokensOf(context, marks), actorNames(context, actors)]);
  return { ...marks, tokens, names };
}
