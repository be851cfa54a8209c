import { type ApiContext, ownOrganization } from '../context.ts';
import { newObjectId } from '../object-id.ts';
import { invalidInput, ApiRefusal, voidPayloadOf } from '../refusal.ts';
import type { PostTemplateRecord, Visibility } from './data.ts';
import { findTemplate } from './list.ts';
import { templateProblems } from './rules.ts';

interface Fields {
  title?: string | null;
  body?: string | null;
  description?: string | null;
  emoji?: string | null;
  visibility?: Visibility | null;
}

interface CreateInput extends Fields {
  organizationId: string;
  title: string;
  body: string;
}

interface UpdateInput extends Fields {
  id: string;
}

const refuse = (message: string) => new ApiRefusal('VoidMutationError', message);

function requireSound(record: PostTemplateRecord): PostTemplateRecord {
  const problems = templateProblems(record);
  if (problems.length > 0) throw invalidInput(problems);
  return record;
}

/**
 * A template that the caller may change: an own template, or an internal template of an organization that the caller
 * owns.
 */
function requireTemplate(context: ApiContext, templateId: string): PostTemplateRecord {
  const record = findTemplate(context, templateId);
  if (!record || record.visibility === 'public') throw refuse('Post template not found');
  return record;
}

function addTemplate(input: CreateInput, context: ApiContext): PostTemplateRecord {
  const organization = ownOrganization(context, input.organizationId);
  if (!organization) throw refuse('Organization not found');
  const now = Date.now();
  const record = requireSound({
    id: newObjectId(now),
    organizationId: organization.id,
    accountId: context.caller.accountId,
    title: input.title.trim(),
    body: input.body,
    description: input.description ?? '',
    emoji: input.emoji ?? '',
    visibility: input.visibility ?? 'private',
    createdAt: now,
    updatedAt: now,
  });
  const limit = organization.limits.postTemplates;
  if (context.data.postTemplates.add(record, limit)) return record;
  throw refuse(`The plan of this organization allows ${limit} post templates`);
}

function changeTemplate(input: UpdateInput, context: ApiContext): PostTemplateRecord {
  const { postTemplates } = context.data;
  return postTemplates.write(() => {
    const old = requireTemplate(context, input.id);
    const record = requireSound({
      ...old,
      title: input.title?.trim() ?? old.title,
      body: input.body ?? old.body,
      description: input.description ?? old.description,
      emoji: input.emoji ?? old.emoji,
      visibility: input.visibility ?? old.visibility,
      updatedAt: Date.now(),
    });
    postTemplates.change(record);
    return record;
  });
}

export const createPostTemplate = ({ input }: { input: CreateInput }, context: ApiContext) =>
  voidPayloadOf(() => ({
    __typename: 'CreatePostTemplateSuccess' as const,
    postTemplate: addTemplate(input, context),
  }));

export const updatePostTemplate = ({ input }: { input: UpdateInput }, context: ApiContext) =>
  voidPayloadOf(() => ({
    __typename: 'UpdatePostTemplateSuccess' as const,
    postTemplate: changeTemplate(input, context),
  }));

export const deletePostTemplate = ({ input }: { input: { id: string } }, context: ApiContext) =>
  voidPayloadOf(() => {
    const { id } = requireTemplate(context, input.id);
    if (!context.data.postTemplates.remove(id)) throw refuse('Post template not found');
    return { __typename: 'EmptySuccess' as const, _empty: '' };
  });
