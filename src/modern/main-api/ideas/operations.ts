import { type ApiContext, notFound, ownOrganization } from '../context.ts';
import { requireShortLists } from '../operations/filter-lists.ts';
import { connectionOf, type ListOrder, type PageArguments, readPage } from '../operations/paging.ts';
import { createIdea } from './create-idea.ts';
import type { IdeaRecord } from './data.ts';
import { ideaGroups } from './groups.ts';
import { presentIdea } from './present.ts';

interface IdeasArguments extends PageArguments {
  input: {
    organizationId: string;
    groupFilter?: { groups?: string[]; membership?: 'grouped' | 'ungrouped' } | null;
    tagsFilter?: { in: string[]; isEmpty: boolean } | null;
  };
}

const newestFirst: ListOrder<IdeaRecord> & { keys: number } = {
  name: 'ideas createdAt desc',
  keys: 1,
  placeOf: ({ createdAt, id }) => ({ values: [createdAt], id }),
};

function ideas({ input, ...paging }: IdeasArguments, context: ApiContext) {
  const { organizationId, groupFilter, tagsFilter } = input;
  if (!ownOrganization(context, organizationId)) throw notFound('Organization');
  requireShortLists({ groups: groupFilter?.groups, 'tags.in': tagsFilter?.in });
  const page = readPage(paging, newestFirst);
  const filter = { ...groupFilter, tags: tagsFilter ?? undefined };
  const records = context.data.ideas.list(organizationId, filter, page);
  const connection = connectionOf(records, page.size, newestFirst);
  return {
    ...connection,
    edges: connection.edges.map(({ cursor, node }) => ({ cursor, node: presentIdea(node) })),
  };
}

export const ideaOperations = { ideas, ideaGroups, createIdea };
