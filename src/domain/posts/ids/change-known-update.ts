import type { LearnedUpdate } from '../../../store/tables/posts.ts';
import type { Context } from '../../context.ts';
import { withAccessToken } from '../../grants/refresh/with-access-token.ts';
import { takeWrite } from '../../limits/fair-reads.ts';
import { meantChannel } from '../../ids/legacy-ids.ts';
import { servedBy } from '../../tokens/resolve-token.ts';
import type { NamedProfiles } from '../known-profiles.ts';
import { type Change, type ChangeEnd, changeUpdate } from '../writes/change-update.ts';
import type { Writer } from '../writes/writes.ts';
import {
  keepAsTheyAre,
  keepUnmatched,
  learnedUpdate,
  postIdForWrite,
} from '../../ids/updates/learned-update.ts';
import { matchUpdate, type MatchSteps } from './match-update.ts';

/**
 * Changes a post by an id of either generation. The id is tried as it is: that the new API answers that it knows no such
 * post proves that nothing was changed. Only then, and where the old API has shown an update with that id, the post is looked
 * for and the change sent for that post. So no post is changed twice.
 *
 * A post that says the same may be another one, whose own was deleted before. A delete cannot be taken back, so that none is
 * sent for a post that was only looked for: it needs a post that the id was answered with before.
 */

/** "Update could not be found" in the old table. */
const NOT_FOUND = 1020;

/** As a part of a write these reads do not give way to others, and count as it does. */
function stepsOf(context: Context, { mapping }: Writer, { reading, ids }: NamedProfiles): MatchSteps {
  return {
    async findChannel(profileId) {
      const meant = await meantChannel(context, ids, profileId);
      return reading.channels.find(({ id }) => id === meant);
    },
    ask: (read) =>
      servedBy(context, mapping, ({ id, modernClientId }) => {
        const mainApi = context.sides.mainApiFor(modernClientId);
        const now = () => context.clock.now();
        takeWrite(context, { modernClientId, clientId: mapping.client_id });
        return withAccessToken(context, id, (accessToken) => read({ mainApi, accessToken, now }));
      }),
  };
}

/** That a post is gone after a write in doubt does not say that it was not there before. */
const isUnknown = (end: ChangeEnd) =>
  end.kind === 'refused' && !end.wasInDoubt && end.refusal.code === NOT_FOUND;

const isUnsure = (end: ChangeEnd) =>
  end.kind === 'in_doubt' || (end.kind === 'refused' && end.wasInDoubt === true);

const isUnmatched = (learned: LearnedUpdate | undefined): learned is LearnedUpdate =>
  learned?.post_id === null;

/** What a change by an id as it is says of the id. */
async function keepWhatItSays(context: Context, learned: LearnedUpdate, end: ChangeEnd): Promise<void> {
  if (end.kind === 'done') await keepAsTheyAre(context, [learned]);
  if (isUnsure(end)) await keepUnmatched(context, learned);
}

/**
 * Changes one post; `known` are the profiles of the account.
 * @throws {FieldRefused | ScopeMissing | GrantDead | TokenRefused | Unavailable} nothing was changed
 */
export async function changeKnownUpdate(
  context: Context,
  { writer, known }: { writer: Writer; known: NamedProfiles },
  change: Change,
): Promise<ChangeEnd> {
  const learned = await learnedUpdate(context, writer.mapping, change.id);
  const id = learned ? await postIdForWrite(context, learned) : change.id;
  const end = await changeUpdate(context, writer, { ...change, id });
  if (!isUnmatched(learned)) return end;
  await keepWhatItSays(context, learned, end);
  if (change.call === 'destroy' || !isUnknown(end)) return end;
  const post = await matchUpdate(context, learned, stepsOf(context, writer, known));
  return post ? changeUpdate(context, writer, { ...change, id: post.id }) : end;
}
