import { type ApiContext, notFound, ownOrganization } from '../context.ts';

/** The groups of an organization, oldest first. Groups beyond the limit of the plan are locked. */
export function ideaGroups({ input }: { input: { organizationId: string } }, context: ApiContext) {
  const organization = ownOrganization(context, input.organizationId);
  if (!organization) throw notFound('Organization');
  const groups = context.data.ideas.groupsOf(organization.id);
  return groups.map((group, index) => ({ ...group, isLocked: index >= organization.limits.ideaGroups }));
}
