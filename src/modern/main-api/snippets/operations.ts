import { type ApiContext, notFound, ownOrganization } from '../context.ts';
import { newObjectId } from '../object-id.ts';
import type { SnippetRecord } from './data.ts';

const MAX_SNIPPETS = 500;

interface Fields {
  name?: string | null;
  text?: string | null;
}

interface ById {
  input: { id: string };
}

interface CreateArguments {
  input: { organizationId: string; name: string; text: string };
}

interface UpdateArguments {
  input: { id: string } & Fields;
}

const missing = (what: string) => ({ __typename: 'NotFoundError', message: `${what} not found` });
const invalid = (message: string) => ({ __typename: 'InvalidInputError', message });
const success = (record: SnippetRecord) => ({ __typename: 'SnippetActionSuccess', snippet: record });

/** The snippet if it stands in an organization of the caller. */
function ownSnippet(context: ApiContext, snippetId: string): SnippetRecord | undefined {
  const record = context.data.snippets.find(snippetId);
  return record && ownOrganization(context, record.organizationId) && record;
}

/** What is undefined is not looked at; line breaks and tabs belong to a text, other control characters do not. */
function problemsOf({ name, text }: Fields): string[] {
  const problems: string[] = [];
  if (name !== undefined && !/^[^\p{Cc}\u2028\u2029]{1,100}$/u.test(name?.trim() ?? ''))
    problems.push('The name must be one line of 1 to 100 characters');
  if (text !== undefined && !/^(?:[^\p{Cc}]|[\n\r\t]){1,5000}$/u.test(text?.trim() ?? ''))
    problems.push('The text must have 1 to 5,000 characters');
  return problems;
}

function snippets({ input }: { input: { organizationId: string } }, context: ApiContext): SnippetRecord[] {
  if (!ownOrganization(context, input.organizationId)) throw notFound('Organization');
  return context.data.snippets.list(input.organizationId);
}

function snippet({ input }: ById, context: ApiContext): SnippetRecord {
  const record = ownSnippet(context, input.id);
  if (!record) throw notFound('Snippet');
  return record;
}

function createSnippet({ input }: CreateArguments, context: ApiContext) {
  const { organizationId, name, text } = input;
  if (!ownOrganization(context, organizationId)) return missing('Organization');
  const problems = problemsOf(input);
  if (problems.length > 0) return invalid(problems.join('. '));
  const now = new Date().toISOString();
  const record = {
    id: newObjectId(),
    organizationId,
    name: name.trim(),
    text,
    createdAt: now,
    updatedAt: now,
  };
  if (!context.data.snippets.add(record, MAX_SNIPPETS))
    return invalid(`An organization can hold ${MAX_SNIPPETS} snippets. Delete one first.`);
  return success(record);
}

function updateSnippet({ input }: UpdateArguments, context: ApiContext) {
  const { id, name, text } = input;
  if (!ownSnippet(context, id)) return missing('Snippet');
  const problems = problemsOf(input);
  if (problems.length > 0) return invalid(problems.join('. '));
  const changes = { name: name?.trim(), text: text ?? undefined };
  const record = context.data.snippets.update(id, changes, new Date().toISOString());
  return record ? success(record) : missing('Snippet');
}

function deleteSnippet({ input: { id } }: ById, context: ApiContext) {
  const isGone = ownSnippet(context, id) && context.data.snippets.remove(id);
  return isGone
    ? { __typename: 'DeleteSnippetSuccess', id }
    : { __typename: 'VoidMutationError', message: 'Snippet not found' };
}

export const snippetOperations = { snippets, snippet, createSnippet, updateSnippet, deleteSnippet };
