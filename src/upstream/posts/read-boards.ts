import { z } from 'zod';
import { Unavailable } from '../outcomes.ts';
import { answerData } from './answer-data.ts';
import type { PostsAccess } from './read-posts.ts';

/** Reads the boards of Pinterest channels. */

const board = z.object({ serviceId: z.string(), name: z.string() });

/** A board, with the id that posts use for the board. */
export type Board = z.infer<typeof board>;

const channel = z.object({
  id: z.string(),
  metadata: z.object({ boards: z.array(board).nullish() }).nullish(),
});

const FIELDS = 'id metadata { ... on PinterestMetadata { boards { serviceId name } } }';

/** One request for the channels of these organizations, each under its own alias. */
function boardsRequest(organizationIds: readonly string[]): string {
  const parameters = organizationIds.map((_, i) => `$o${i}: ChannelsInput!`).join(', ');
  const fields = organizationIds.map((_, i) => `o${i}: channels(input: $o${i}) { ${FIELDS} }`).join(' ');
  const variables = Object.fromEntries(
    organizationIds.map((organizationId, i) => [`o${i}`, { organizationId }]),
  );
  return JSON.stringify({ query: `query Boards(${parameters}) { ${fields} }`, variables });
}

/** Every alias must have its list; otherwise the whole answer is invalid. A failed list is not an empty list. */
const listsOf = (organizationIds: readonly string[]) =>
  z.object(Object.fromEntries(organizationIds.map((_, i) => [`o${i}`, z.array(channel)])));

/**
 * The boards of the Pinterest channels of these organizations, by channel id, where the new API reports boards.
 * @throws {Unauthorized | Forbidden | OrganizationGone | Unavailable}
 */
export async function readBoards(
  { mainApi, accessToken, now }: PostsAccess,
  organizationIds: readonly string[],
): Promise<Record<string, Board[]>> {
  const answer = await mainApi.ask(accessToken, boardsRequest(organizationIds));
  const lists = listsOf(organizationIds).safeParse(answerData(answer, now()));
  if (!lists.success)
    throw new Unavailable('the main API answered in an unknown shape', { cause: lists.error });
  const channels = Object.values(lists.data).flat();
  return Object.fromEntries(
    channels.flatMap(({ id, metadata }) => (metadata?.boards ? [[id, metadata.boards]] : [])),
  );
}
