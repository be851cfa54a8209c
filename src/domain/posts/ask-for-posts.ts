import type { PostsAccess } from '../../upstream/posts/read-posts.ts';
import type { GrantClient } from '../grants/grant-client.ts';
import { mainApiOf } from '../grants/main-api-of.ts';
import type { PostsDeps } from './deps.ts';
import { readWithAccessToken } from '../grants/refresh/read-with-token.ts';
import { takeRead } from '../limits/fair-shares.ts';
import { requireScope } from './scope-missing.ts';

/** One request to the new API that reads posts. */

const SCOPE = 'posts:read';

/**
 * Sends one read of posts, if the grant's scope and the client's budget allow the read. `Forbidden` from the new API
 * despite the scope means that the account cannot reach the post or channel; a wider consent would not help.
 * @throws {ScopeMissing | LimitReached | GrantDead | Unavailable}, and the errors of `ask`
 */
export async function askForPosts<Answer>(
  context: PostsDeps,
  grant: GrantClient,
  ask: (asker: PostsAccess) => Promise<Answer>,
): Promise<Answer> {
  const { id: grantId, clientId } = grant;
  await requireScope(context, { grant_id: grantId, client_id: clientId }, SCOPE);
  const mainApi = mainApiOf(context, grant);
  let isCounted = false;
  return readWithAccessToken(context, grant, (accessToken) => {
    // A read counts once, even if a renewal of the access token repeats the read.
    if (!isCounted) takeRead(context, grant);
    isCounted = true;
    return ask({ mainApi, accessToken, now: () => context.clock.now() });
  });
}
