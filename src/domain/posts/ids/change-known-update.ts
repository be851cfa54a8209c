import type { LearnedUpdate } from '../../../store/tables/posts.ts';
import type { PostsDeps } from '../deps.ts';
import { mainApiOf } from '../../grants/main-api-of.ts';
import { readWithAccessToken } from '../../grants/refresh/read-with-token.ts';
import { takeWrite } from '../../limits/fair-shares.ts';
import { meantChannel } from '../../ids/legacy-ids.ts';
import { servedBy } from '../../tokens/resolve-token.ts';
import { NO_SUCH_UPDATE } from '../../translation/old-refusal.ts';
import type { NamedProfiles } from '../known-profiles.ts';
import { type UpdateChange, type ChangeEnd, changeUpdate } from '../writes/change-update.ts';
import { readInTime } from '../writes/read-in-time.ts';
import type { Writer } from '../writes/writes.ts';
import {
  keepAsTheyAre,
  keepUnmatched,
  learnedUpdate,
  postIdForWrite,
} from '../../ids/updates/learned-update.ts';
import { matchUpdate, type MatchSteps } from './match-update.ts';

/**
 * Changes a post by an id of either API. First the change is sent with the given id. If the new API answers that the
 * post does not exist, nothing was changed. Only then, and only for an id that the old API has shown, the bridge
 * searches for the post and sends the change with the found id. Therefore no two posts are changed by one call.
 *
 * A post with the same content may be a different post, if the real one was deleted earlier. A delete cannot be undone,
 * therefore a found post is never deleted at once: a delete needs a post that was already paired with the id.
 */

/** These reads belong to a write: they do not give way to other calls, and they count as writes. */
function stepsOf(context: PostsDeps, { mapping }: Writer, { reading, ids }: NamedProfiles): MatchSteps {
  return {
    async findChannel(profileId) {
      const meant = await meantChannel(context, ids, profileId);
      return reading.channels.find(({ id }) => id === meant);
    },
    ask: (read) =>
      servedBy(context, mapping, (grant) => {
        const { modernClientId } = grant;
        const mainApi = mainApiOf(context, grant);
        const now = () => context.clock.now();
        takeWrite(context, { modernClientId, clientId: mapping.client_id });
        return readWithAccessToken(context, grant, (accessToken) => read({ mainApi, accessToken, now }));
      }),
  };
}

/** After a write in doubt, a missing post may have existed before the write. */
const isUnknown = (end: ChangeEnd) =>
  end.kind === 'refused' && !end.wasInDoubt && end.refusal.code === NO_SUCH_UPDATE.code;

const isUnsure = (end: ChangeEnd) =>
  end.kind === 'in_doubt' || (end.kind === 'refused' && end.wasInDoubt === true);

const isUnmatched = (learned: LearnedUpdate | undefined): learned is LearnedUpdate =>
  learned?.post_id === null;

/** Records what the result of a change by the unchanged id says about the id. */
async function keepWhatItSays(context: PostsDeps, learned: LearnedUpdate, end: ChangeEnd): Promise<void> {
  if (end.kind === 'done') await keepAsTheyAre(context, [learned]);
  if (isUnsure(end)) await keepUnmatched(context, learned);
}

/**
 * Changes one post. `known` are the profiles of the account.
 * @throws {FieldRefused | ScopeMissing | GrantDead | TokenRefused | Unavailable} nothing was changed
 */
export async function changeKnownUpdate(
  context: PostsDeps,
  { writer, known }: { writer: Writer; known: NamedProfiles },
  change: UpdateChange,
): Promise<ChangeEnd> {
  const learned = await learnedUpdate(context, writer.mapping, change.id);
  const id = learned ? await postIdForWrite(context, learned) : change.id;
  const end = await changeUpdate(context, writer, { ...change, id });
  if (!isUnmatched(learned)) return end;
  await keepWhatItSays(context, learned, end);
  if (change.call === 'destroy' || !isUnknown(end)) return end;
  const matching = matchUpdate(context, learned, stepsOf(context, writer, known));
  const post = await readInTime(context, writer, matching);
  return post ? changeUpdate(context, writer, { ...change, id: post.id }) : end;
}
