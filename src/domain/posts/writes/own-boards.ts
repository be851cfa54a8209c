import { badValue } from '../../translation/call-fields.ts';
import type { NewUpdate } from '../../translation/new-update.ts';
import type { PostsDeps } from '../deps.ts';
import type { NamedProfile, NamedProfiles } from '../known-profiles.ts';
import { type BoardsAnswer, knownBoards } from '../lists/known-boards.ts';
import { accountReadBy } from '../scope-missing.ts';
import { readInTime } from './read-in-time.ts';
import type { Writer } from './writes.ts';

/** Each Pinterest profile of a create gets the board of its own among those that the call names. */

/** A create, with the profiles that it names. */
export interface ProfilesCreate {
  writer: Writer;
  update: NewUpdate;
  named: NamedProfiles;
}

const isPin = ({ channel }: NamedProfile) => channel.service === 'pinterest';

/** One board for one Pinterest profile is its own, or the new API refuses it. So most creates need no boards. */
const isClear = ({ update: { subprofileIds: ids }, named }: ProfilesCreate) =>
  ids.length === 0 || (ids.length === 1 && named.profiles.filter(isPin).length === 1);

/** The boards of a channel among these; without any, those that no channel is known to have: a board may be new. */
function ownAmong(ids: readonly string[], channelId: string, { boards }: BoardsAnswer): string[] {
  const isOf = (channel: string) => (id: string) =>
    boards[channel]?.some(({ serviceId }) => serviceId === id) ?? false;
  const own = ids.filter(isOf(channelId));
  if (own.length > 0) return own;
  return ids.filter((id) => !Object.keys(boards).some((channel) => isOf(channel)(id)));
}

/**
 * The update for one profile. Costs a request only where it is not clear which board is whose.
 * @throws {FieldRefused | ScopeMissing | GrantDead | Forbidden | LimitReached | Unavailable} nothing was posted
 */
export async function withOwnBoards(
  context: PostsDeps,
  create: ProfilesCreate,
  profile: NamedProfile,
): Promise<NewUpdate> {
  const { writer, update, named } = create;
  if (!isPin(profile) || isClear(create)) return update;
  const reading = accountReadBy(context, writer.mapping, (grant) =>
    knownBoards(context, grant, named.reading),
  );
  const subprofileIds = ownAmong(
    update.subprofileIds,
    profile.channel.id,
    await readInTime(context, writer, reading),
  );
  if (subprofileIds.length === 0 && !update.isDraft)
    throw badValue('subprofile_ids', 'names no board of this profile');
  return { ...update, subprofileIds };
}
