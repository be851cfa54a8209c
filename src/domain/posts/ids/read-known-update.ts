import { CALLER_WAIT } from '../../../shared/lifetimes.ts';
import type { PostsDeps } from '../deps.ts';
import type { Caller } from '../../ids/match-ids.ts';
import { servedBy } from '../../tokens/resolve-token.ts';
import { withTimeout } from '../../work/with-timeout.ts';
import { askForPosts } from '../ask-for-posts.ts';
import { channelOfProfile } from '../caller-channel.ts';
import { type PostAnswer, readOne } from '../lists/read-one.ts';
import { keepPostAnswer } from '../lists/post-cache.ts';
import { keepAsTheyAre, knownPostId, learnedUpdate } from '../../ids/updates/learned-update.ts';
import { matchUpdate, type MatchSteps } from './match-update.ts';

/** Reads one post by an id of either API: by the stored pair, by the unchanged id, or by the content at the old API. */

function stepsOf(context: PostsDeps, caller: Caller): MatchSteps {
  return {
    findChannel: async (profileId) => (await channelOfProfile(context, caller, profileId))?.channel,
    ask: (read) => servedBy(context, caller.mapping, (grant) => askForPosts(context, grant, read)),
  };
}

/**
 * The post with this id. A search for it gets what the first read left of the time that a caller waits. For an undefined
 * post the caller gets the recorded not-found.
 * @throws {GrantDead | ScopeMissing | LimitReached | Unavailable}
 */
export async function readKnownUpdate(context: PostsDeps, caller: Caller, id: string): Promise<PostAnswer> {
  const began = context.clock.elapsed();
  const learned = await learnedUpdate(context, caller.mapping, id);
  const read = (postId: string) =>
    servedBy(context, caller.mapping, (grant) => readOne(context, grant, postId));
  const answer = await read(learned ? knownPostId(learned) : id);
  if (!learned || learned.post_id !== null) return answer;
  if (answer.post) await keepAsTheyAre(context, [learned]);
  if (answer.post) return answer;
  const fetchedAt = context.clock.now();
  const matching = matchUpdate(context, learned, stepsOf(context, caller));
  const post = await withTimeout(matching, began + CALLER_WAIT - context.clock.elapsed());
  if (!post) return answer;
  const name = { grantId: caller.mapping.grant_id, what: `post ${post.id}` };
  await keepPostAnswer(context, name, { answer: { post, fetchedAt } });
  return { post, fetchedAt, isStale: false };
}
