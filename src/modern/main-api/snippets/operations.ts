import { brokenRuleMessages, isName, NAME_RULE, textRules } from '../../text-rules.ts';
import { type ApiContext, notFound, ownOrganization } from '../context.ts';
import { newObjectId } from '../object-id.ts';
import { invalidInput, payloadOf, ApiRefusal, requireSound } from '../refusal.ts';
import type { SnippetRecord } from './data.ts';

const MAX_SNIPPETS = 500;

interface Fields {
  name?: string | null | undefined;
  text?: string | null | undefined;
}

interface IdArguments {
  input: { id: string };
}

interface CreateInput {
  organizationId: string;
  name: string;
  text: string;
}

interface UpdateInput extends Fields {
  id: string;
}

const missing = (what: string) => new ApiRefusal('NotFoundError', `${what} not found`);

const answer = (act: () => SnippetRecord) =>
  payloadOf(() => ({ __typename: 'SnippetActionSuccess' as const, snippet: act() }));

/** The snippet if the snippet belongs to an organization of the caller. */
function ownSnippet(context: ApiContext, snippetId: string): SnippetRecord | undefined {
  const record = context.data.snippets.find(snippetId);
  return record && ownOrganization(context, record.organizationId) && record;
}

/**
 * A text may hold line breaks and tabs, but no other control characters. Spaces around the text are kept and counted.
 */
const isText = (text: string) => text.trim() !== '' && /^(?:[^\p{Cc}]|[\n\r\t]){1,5000}$/u.test(text);

/** The problems of the given fields. Skips undefined fields. */
const problemsOf = ({ name, text }: Fields): string[] =>
  brokenRuleMessages([
    [name !== undefined && !isName(name ?? ''), NAME_RULE],
    [text !== undefined && !isText(text ?? ''), 'The text must have 1 to 5,000 characters'],
    ...textRules(text),
  ]);

function snippets({ input }: { input: { organizationId: string } }, context: ApiContext): SnippetRecord[] {
  if (!ownOrganization(context, input.organizationId)) throw notFound('Organization');
  return context.data.snippets.list(input.organizationId);
}

function snippet({ input }: IdArguments, context: ApiContext): SnippetRecord {
  const record = ownSnippet(context, input.id);
  if (!record) throw notFound('Snippet');
  return record;
}

function addSnippet({ organizationId, name, text }: CreateInput, context: ApiContext): SnippetRecord {
  if (!ownOrganization(context, organizationId)) throw missing('Organization');
  requireSound(problemsOf({ name, text }));
  const now = new Date().toISOString();
  const record = {
    id: newObjectId(),
    organizationId,
    name: name.trim(),
    text,
    createdAt: now,
    updatedAt: now,
  };
  if (context.data.snippets.add(record, MAX_SNIPPETS)) return record;
  throw invalidInput([`An organization can hold ${MAX_SNIPPETS} snippets. Delete one first.`]);
}

function changeSnippet({ id, name, text }: UpdateInput, context: ApiContext): SnippetRecord {
  if (!ownSnippet(context, id)) throw missing('Snippet');
  requireSound(problemsOf({ name, text }));
  const changes = { name: name?.trim(), text: text ?? undefined };
  const record = context.data.snippets.update(id, changes, new Date().toISOString());
  if (!record) throw missing('Snippet');
  return record;
}

const createSnippet = ({ input }: { input: CreateInput }, context: ApiContext) =>
  answer(() => addSnippet(input, context));

const updateSnippet = ({ input }: { input: UpdateInput }, context: ApiContext) =>
  answer(() => changeSnippet(input, context));

const deleteSnippet = ({ input: { id } }: IdArguments, context: ApiContext) =>
  payloadOf(() => {
    if (!ownSnippet(context, id) || !context.data.snippets.remove(id))
      throw new ApiRefusal('VoidMutationError', 'Snippet not found');
    return { __typename: 'DeleteSnippetSuccess' as const, id };
  });

export const snippetOperations = { snippets, snippet, createSnippet, updateSnippet, deleteSnippet };
