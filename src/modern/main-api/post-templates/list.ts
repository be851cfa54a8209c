import { type ApiContext, notFound, ownOrganization } from '../context.ts';
import { connectionOf, type ListOrder, type PageArguments, readPage } from '../operations/paging.ts';
import type { PostTemplateRecord, Visibility } from './data.ts';

interface TemplatesArguments extends PageArguments {
  input: { organizationId: string; filter?: { visibility?: Visibility | null } | null };
}

const newestFirst: ListOrder<PostTemplateRecord> & { keys: number } = {
  name: 'post templates createdAt desc',
  keys: 1,
  placeOf: ({ createdAt, id }) => ({ values: [createdAt], id }),
};

/** A template that the caller may see: public, internal in an organization of the caller, or the caller's own. */
export function findTemplate(context: ApiContext, templateId: string): PostTemplateRecord | undefined {
  const record = context.data.postTemplates.find(templateId);
  if (!record) return undefined;
  const { visibility, accountId, organizationId } = record;
  if (visibility === 'public') return record;
  const isSeen =
    visibility === 'private'
      ? accountId === context.caller.accountId
      : ownOrganization(context, organizationId) !== undefined;
  return isSeen ? record : undefined;
}

export const postTemplate = ({ input }: { input: { id: string } }, context: ApiContext) =>
  findTemplate(context, input.id) ?? null;

export function postTemplates({ input, ...paging }: TemplatesArguments, context: ApiContext) {
  const { organizationId, filter } = input;
  if (!ownOrganization(context, organizationId)) throw notFound('Organization');
  const page = readPage(paging, newestFirst);
  const { accountId } = context.caller;
  const reader = { accountId, organizationId, visibility: filter?.visibility ?? undefined };
  const { postTemplates: templates } = context.data;
  return {
    ...connectionOf(templates.list(reader, page), page.size, newestFirst),
    totalCount: () => templates.count(reader),
  };
}
