import { type ApiContext, notFound, ownOrganization } from '../context.ts';
import { connectionOf, type PageArguments, readPage } from '../paging.ts';
import { createIdea } from './create-idea.ts';

interface IdeasArguments extends PageArguments {
  input: {
    organizationId: string;
    groupFilter?: { groups?: string[]; membership?: 'grouped' | 'ungrouped' } | null;
    tagsFilter?: { in: string[]; isEmpty: boolean } | null;
  };
}

function ideas({ input, ...paging }: IdeasArguments, context: ApiContext) {
  const { organizationId, groupFilter, tagsFilter } = input;
  if (!ownOrganization(context, organizationId)) throw notFound('Organization');
  const page = readPage(paging, 2);
  const filter = { ...groupFilter, tags: tagsFilter ?? undefined };
  const records = context.data.ideas.list(organizationId, filter, page);
  return connectionOf(records, page.size, ({ createdAt, id }) => [createdAt, id]);
}

export const ideaOperations = { ideas, createIdea };
