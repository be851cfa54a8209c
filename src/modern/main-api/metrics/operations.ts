/**
 * Metrics of sent posts. The main API asks no network, and so knows only the number of posts. The other baseline
 * metrics are 0, as for networks that do not count reactions and comments.
 */
import { type ApiContext, notFound, ownOrganization } from '../context.ts';
import { requireShortLists } from '../operations/filter-lists.ts';
import { badInput } from '../operations/paging.ts';

const DAY = 86_400_000;
const LONGEST_DAYS = 365;

interface Input {
  organizationId: string;
  startDateTime: string;
  endDateTime: string;
  channelIds?: string[] | null;
  tags?: { in: string[]; isEmpty: boolean } | null;
}

const count = (type: string, [name, description]: readonly [string, string], value: number) => ({
  type,
  name,
  description,
  value,
  unit: 'count',
});

/** The window from the start to the end of the last day in UTC, in Unix milliseconds. */
function windowOf({ startDateTime, endDateTime }: Input) {
  const [start, end] = [Date.parse(startDateTime), Date.parse(endDateTime)];
  if (end < start) throw badInput('"endDateTime" must not lie before "startDateTime"');
  if (end - start > LONGEST_DAYS * DAY)
    throw badInput(`The range from "startDateTime" to "endDateTime" is at most ${LONGEST_DAYS} days`);
  return { start, end: end - (end % DAY) + DAY - 1 };
}

function aggregatedPostMetrics({ input }: { input: Input }, context: ApiContext) {
  const { organizationId, channelIds, tags } = input;
  if (!ownOrganization(context, organizationId)) throw notFound('Organization');
  requireShortLists({ channelIds, 'tags.in': tags?.in });
  const { posts } = context.data;
  const sentAt = windowOf(input);
  posts.publishDue(Date.now());
  const filter = { sentAt, channelIds: channelIds ?? undefined, tags: tags ?? undefined };
  return {
    metrics: [
      count('postCount', ['Posts', 'How many posts were sent.'], posts.count(organizationId, filter)),
      count('reactions', ['Reactions', 'How many people reacted.'], 0),
      count('comments', ['Comments', 'How many comments and replies there are.'], 0),
    ],
    metricsUpdatedAt: null,
  };
}

export const metricsOperations = { aggregatedPostMetrics };
