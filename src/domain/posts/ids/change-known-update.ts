import type { LearnedUpdate } from '../../../store/posts/tables.ts';
import type { Context } from '../../context.ts';
import { withAccessToken } from '../../grants/with-access-token.ts';
import { meantChannel } from '../../legacy-ids.ts';
import { servedBy } from '../../resolve-token.ts';
import type { NamedProfiles } from '../known-profiles.ts';
import { type Change, type ChangeEnd, changeUpdate } from '../writes/change-update.ts';
import type { Writer } from '../writes/writes.ts';
import { keepAsItIs, learnedUpdate } from './learned-update.ts';
import { matchUpdate, type MatchSteps } from './match-update.ts';

/**
 * Changes a post by an id of either generation. The id is tried as it is: that the new API knows no such post proves that
 * nothing was changed. Only then, and where the old API has shown an update with that id, the post is looked for and the
 * change sent for that post. So no post is changed twice.
 */

/** "Update could not be found" in the old table. */
const NOT_FOUND = 1020;

/** As a part of a write these reads do not give way to others. */
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
        return withAccessToken(context, id, (accessToken) => read({ mainApi, accessToken, now }));
      }),
  };
}

const isUnknown = (end: ChangeEnd) => end.kind === 'refused' && end.refusal.code === NOT_FOUND;

const isUnmatched = (learned: LearnedUpdate | undefined): learned is LearnedUpdate =>
  learned?.post_id === null;

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
  const end = await changeUpdate(context, writer, { ...change, id: learned?.post_id ?? change.id });
  if (!isUnmatched(learned)) return end;
  if (end.kind === 'done') await keepAsItIs(context, learned);
  if (!isUnknown(end)) return end;
  const post = await matchUpdate(context, learned, stepsOf(context, writer, known));
  return post ? changeUpdate(context, writer, { ...change, id: post.id }) : end;
}
