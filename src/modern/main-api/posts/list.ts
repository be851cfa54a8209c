import { type ApiContext, notFound, ownOrganization } from '../context.ts';
import { requireShortLists } from '../operations/filter-lists.ts';
import { badInput, connectionOf, type PageArguments, readPage } from '../operations/paging.ts';
import { effectiveSort, orderOf } from './cursor.ts';
import type { PostRecord, PostsFilter, SortKey, TimeWindow } from './data.ts';
import { presentPost } from './present/present.ts';
import { millis } from './timing.ts';

type Nullish<T> = T | null | undefined;

interface Comparator {
  start?: Nullish<string>;
  end?: Nullish<string>;
}

interface FiltersInput {
  channelIds?: Nullish<string[]>;
  status?: Nullish<string[]>;
  tags?: Nullish<{ in: string[]; isEmpty: boolean }>;
  tagIds?: Nullish<string[]>;
  dueAt?: Nullish<Comparator>;
  createdAt?: Nullish<Comparator>;
  startDate?: Nullish<string>;
  endDate?: Nullish<string>;
  dueAtPresence?: Nullish<'present' | 'absent'>;
}

interface PostsArguments extends PageArguments {
  input: { organizationId: string; filter?: Nullish<FiltersInput>; sort?: Nullish<SortKey[]> };
}

function windowOf(comparator: Nullish<Comparator>): TimeWindow | undefined {
  const start = millis(comparator?.start) ?? undefined;
  const end = millis(comparator?.end) ?? undefined;
  return start === undefined && end === undefined ? undefined : { start, end };
}

function filterOf(input: FiltersInput): PostsFilter {
  const { channelIds, status, tags, tagIds } = input;
  if (input.dueAtPresence === 'absent' && input.dueAt)
    throw badInput('"dueAtPresence: absent" cannot be combined with "dueAt"');
  requireShortLists({ channelIds, status, 'tags.in': tags?.in, tagIds });
  return {
    channelIds: channelIds ?? undefined,
    status: status ?? undefined,
    tags: tags ?? undefined,
    tagIds: tagIds ?? undefined,
    dueAt: windowOf(input.dueAt),
    createdAt: windowOf(input.createdAt),
    touched: windowOf({ start: input.startDate, end: input.endDate }),
    hasDueAt: input.dueAtPresence ? input.dueAtPresence === 'present' : undefined,
  };
}

/** A page of the organization's posts. Reads one extra post, which shows whether a next page exists. */
function posts({ input, ...page }: PostsArguments, context: ApiContext) {
  const { organizationId, filter } = input;
  if (!ownOrganization(context, organizationId)) throw notFound('Organization');
  const sort = effectiveSort(input.sort);
  const order = orderOf(sort);
  const { size, after } = readPage(page, order);
  context.data.posts.publishDue(Date.now());
  const question = { organizationId, filter: filterOf(filter ?? {}), sort, after, limit: size + 1 };
  const connection = connectionOf(context.data.posts.list(question), size, order);
  const edges = connection.edges.map(({ cursor, node }) => ({ cursor, node: presentPost(node, context) }));
  return { ...connection, edges };
}

/**
 * The post if the post belongs to an organization of the caller. Publish due posts first (`publishDue` or `write`):
 * this function does not, and the status would be out of date.
 */
export function ownPost(context: ApiContext, postId: string): PostRecord | undefined {
  const record = context.data.posts.find(postId);
  return record && ownOrganization(context, record.organizationId) && record;
}

function post({ input }: { input: { id: string } }, context: ApiContext) {
  context.data.posts.publishDue(Date.now());
  const record = ownPost(context, input.id);
  if (!record) throw notFound('Post');
  return presentPost(record, context);
}

export const postQueries = { posts, post };
