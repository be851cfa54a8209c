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

/** The most entries, and the most writes, of one request that are read. A command that changes more has no request. */
const LISTED_MAX = 100;

interface RequestMarks {
  events: ShownEvent[];
  writes: PostWriteRow[];
}

async function marksOf({ store }: Pick<SupportDeps, 'store'>, id: string): Promise<RequestMarks> {
  const [events, writes] = await Promise.all([
    eventsOfRequest(store.durable, id, LISTED_MAX),
    writesOfRequest(store.durable, id, LISTED_MAX),
  ]);
  return { events, writes };
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
  const marks = await marksOf(context, id);
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

/** What one request left behind; undefined where it left nothing. */
export async function describeRequest(
  context: Pick<SupportDeps, 'store'>,
  id: string,
): Promise<RequestDescription | undefined> {
  const marks = await marksOf(context, id);
  if (marks.events.length + marks.writes.length === 0) return undefined;
  const [tokens, names] = await Promise.all([tokensOf(context, marks), actorNames(context, marks.events)]);
  return { ...marks, tokens, names };
}
