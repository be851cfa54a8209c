import { type ApiContext, ownOrganization } from '../context.ts';
import { newObjectId } from '../object-id.ts';
import { type ContentInput, contentFrom, contentProblems } from './content.ts';
import type { IdeaRecord, IdeasData } from './data.ts';

interface GroupInput {
  groupId?: string | null;
  placeAfterId?: string | null;
}

interface CreateIdeaArguments {
  input: { organizationId: string; content: ContentInput; group?: GroupInput | null };
}

type Placed = Pick<IdeaRecord, 'groupId' | 'position'>;

/** Behind `placeAfterId`, or at the top; undefined when that idea is not in the group. */
function positionFor(ideas: IdeasData, groupId: string, placeAfterId?: string | null): number | undefined {
  const inOrder = ideas.positionsIn(groupId);
  if (!placeAfterId) return (inOrder[0]?.position ?? 1) - 1;
  const before = inOrder.findIndex(({ id }) => id === placeAfterId);
  const neighbour = inOrder[before];
  if (!neighbour) return undefined;
  const next = inOrder[before + 1];
  return next ? (neighbour.position + next.position) / 2 : neighbour.position + 1;
}

/** Where the new idea stands, or what is wrong with the place that was asked for. */
function place(ideas: IdeasData, organizationId: string, group?: GroupInput | null): Placed | string {
  const { groupId, placeAfterId } = group ?? {};
  if (!groupId) return placeAfterId ? 'The idea to place it after needs its group' : noGroup;
  if (!ideas.isGroup(organizationId, groupId)) return 'The group was not found';
  const position = positionFor(ideas, groupId, placeAfterId);
  return position === undefined ? 'The idea to place it after is not in the group' : { groupId, position };
}

const noGroup: Placed = { groupId: null, position: null };

const refuse = (__typename: string, message: string) => ({ __typename, message });

/** Answers with the Idea itself, as seen on the real service (modern-api.md 1.2). */
export function createIdea({ input }: CreateIdeaArguments, context: ApiContext) {
  const { organizationId, content, group } = input;
  const organization = ownOrganization(context, organizationId);
  if (!organization) return refuse('UnauthorizedError', 'You cannot create ideas in this organization');
  const { ideas } = context.data;
  const placed = place(ideas, organizationId, group);
  const problems = [...contentProblems(content), ...(typeof placed === 'string' ? [placed] : [])];
  if (typeof placed === 'string' || problems.length > 0)
    return refuse('InvalidInputError', problems.join('. '));
  const now = Math.floor(Date.now() / 1000);
  const record: IdeaRecord = {
    id: newObjectId(),
    organizationId,
    content: contentFrom(content),
    ...placed,
    createdAt: now,
    updatedAt: now,
  };
  const limit = organization.limits.ideas;
  if (!ideas.add(record, limit))
    return refuse('LimitReachedError', `The plan of this organization allows ${limit} ideas`);
  return { __typename: 'Idea', ...record };
}
