import { type ApiContext, ownOrganization } from '../context.ts';
import { newObjectId } from '../object-id.ts';
import { invalidInput, payloadOf, ApiRefusal, requireSound } from '../refusal.ts';
import { type IdeaContentInput, contentFrom, ideaProblems } from './content.ts';
import type { IdeaRecord, IdeasData } from './data.ts';
import { presentIdea } from './present.ts';

interface GroupInput {
  groupId?: string | null;
  placeAfterId?: string | null;
}

interface Input {
  organizationId: string;
  content: IdeaContentInput;
  group?: GroupInput | null;
}

type IdeaPosition = Pick<IdeaRecord, 'groupId' | 'position'>;

/**
 * The position behind `placeAfterId`, or at the top without `placeAfterId`. Undefined when that idea is not in the
 * group.
 */
function positionFor(ideas: IdeasData, groupId: string, placeAfterId?: string | null): number | undefined {
  const inOrder = ideas.positionsIn(groupId);
  if (!placeAfterId) return (inOrder[0]?.position ?? 1) - 1;
  const before = inOrder.findIndex(({ id }) => id === placeAfterId);
  const neighbour = inOrder[before];
  if (!neighbour) return undefined;
  const next = inOrder[before + 1];
  if (!next) return neighbour.position + 1;
  const middle = (neighbour.position + next.position) / 2;
  if (neighbour.position < middle && middle < next.position) return middle;
  // About fifty halvings leave no number between the neighbours. renumber gives the first neighbour `before + 1`.
  ideas.renumber(groupId);
  return before + 1.5;
}

/** The group and the position of the new idea, or a message when the wished place does not exist. */
function place(ideas: IdeasData, organizationId: string, group?: GroupInput | null): IdeaPosition | string {
  const { groupId, placeAfterId } = group ?? {};
  if (!groupId) return placeAfterId ? 'The idea to place it after needs its group' : noGroup;
  if (!ideas.isGroup(organizationId, groupId)) return 'The group was not found';
  const position = positionFor(ideas, groupId, placeAfterId);
  return position === undefined ? 'The idea to place it after is not in the group' : { groupId, position };
}

const noGroup: IdeaPosition = { groupId: null, position: null };

function newIdea({ organizationId, content, group }: Input, ideas: IdeasData): IdeaRecord {
  const placed = place(ideas, organizationId, group);
  const problems = ideaProblems(content);
  if (typeof placed === 'string') throw invalidInput([...problems, placed]);
  requireSound(problems);
  const now = Math.floor(Date.now() / 1000);
  return {
    id: newObjectId(),
    organizationId,
    content: contentFrom(content),
    ...placed,
    createdAt: now,
    updatedAt: now,
  };
}

function addIdea(input: Input, context: ApiContext): IdeaRecord {
  const organization = ownOrganization(context, input.organizationId);
  if (!organization)
    throw new ApiRefusal('UnauthorizedError', 'You cannot create ideas in this organization');
  const { ideas } = context.data;
  const limit = organization.limits.ideas;
  return ideas.write(() => {
    const record = newIdea(input, ideas);
    if (ideas.add(record, limit)) return record;
    throw new ApiRefusal('LimitReachedError', `The plan of this organization allows ${limit} ideas`);
  });
}

/** Adds an idea and answers with the Idea itself, as seen on the real service. */
export const createIdea = ({ input }: { input: Input }, context: ApiContext) =>
  payloadOf(() => ({ __typename: 'Idea' as const, ...presentIdea(addIdea(input, context)) }));
