import type { PostsAsker } from '../../upstream/posts/read-posts.ts';
import type { GrantClient } from '../grants/grant-client.ts';
import type { Context } from '../context.ts';
import { withAccessToken } from '../grants/refresh/with-access-token.ts';
import { takeRead } from '../limits/fair-reads.ts';
import { requireScope } from './scope-missing.ts';

/** One request of the new API that reads posts. */

const SCOPE = 'posts:read';

/** Whose posts are read, and for which app. */
export interface PostsReader {
  grant: GrantClient;
  clientId: string;
}

/**
 * Sends one read of posts, where the grant's scope and the client's budget allow. A grant that has the scope and is refused
 * all the same does not reach what was asked for; a wider consent would not help it.
 * @throws {ScopeMissing | ReadGivesWay | GrantDead | Unavailable}, and what `ask` throws
 */
export async function askForPosts<Answer>(
  context: Context,
  { grant, clientId }: PostsReader,
  ask: (asker: PostsAsker) => Promise<Answer>,
): Promise<Answer> {
  const { id: grantId, modernClientId } = grant;
  await requireScope(context, { grant_id: grantId, client_id: clientId }, SCOPE);
  const mainApi = context.sides.mainApiFor(modernClientId);
  let isCounted = false;
  return withAccessToken(context, grantId, (accessToken) => {
    // Once for a read, whose access token may be renewed on the way.
    if (!isCounted) takeRead(context, { modernClientId, clientId });
    isCounted = true;
    return ask({ mainApi, accessToken, now: () => context.clock.now() });
  });
}
