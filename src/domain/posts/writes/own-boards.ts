import { Forbidden } from '../../../upstream/main-api.ts';
import { badValue } from '../../translation/call-fields.ts';
import type { NewUpdate } from '../../translation/new-update.ts';
import type { PostsDeps } from '../deps.ts';
import type { NamedProfile, NamedProfiles } from '../known-profiles.ts';
import { type BoardsAnswer, knownBoards } from '../lists/known-boards.ts';
import { accountReadBy } from '../scope-missing.ts';
import { readInTime } from './read-in-time.ts';
import type { Writer } from './writes.ts';

/** Each Pinterest profile of a create gets the board of its own among those that the call names. */

/** By the id of a board, the channels that are known to have it. */
type BoardOwners = ReadonlyMap<string, ReadonlySet<string>>;

/** A create, with the profiles that it names. */
export interface ProfilesCreate {
  writer: Writer;
  update: NewUpdate;
  named: NamedProfiles;
  owners: () => Promise<BoardOwners>;
}

const isPin = ({ channel }: NamedProfile) => channel.service === 'pinterest';

/** One board for one Pinterest profile is its own, or the new API refuses it. So most creates need no boards. */
const isClear = ({ update: { subprofileIds: ids }, named }: ProfilesCreate) =>
  ids.length === 0 || (ids.length === 1 && named.profiles.filter(isPin).length === 1);

function ownersIn({ boards }: BoardsAnswer): BoardOwners {
  const owners = new Map<string, Set<string>>();
  for (const [channel, own] of Object.entries(boards))
    for (const { serviceId } of own ?? [])
      owners.set(serviceId, (owners.get(serviceId) ?? new Set()).add(channel));
  return owners;
}

/**
 * Reads once for a whole create whose the boards are, when the first profile asks. A failure is of the whole create too: many
 * profiles would else ask in vain one after the other.
 */
export function boardOwners(
  context: PostsDeps,
  { writer, update, named }: Omit<ProfilesCreate, 'owners'>,
): ProfilesCreate['owners'] {
  let owners: Promise<BoardOwners> | undefined;
  const read = async () => {
    const reading = accountReadBy(context, writer.mapping, (grant) =>
      knownBoards(context, grant, named.reading),
    );
    return ownersIn(await readInTime(context, writer, reading));
  };
  return () => {
    owners ??= read().catch((error: unknown) => {
      // Whoever may not read boards may post to one, and the new API judges it. Of several nobody knows which is whose.
      if (error instanceof Forbidden && update.subprofileIds.length === 1) return new Map();
      throw error;
    });
    return owners;
  };
}

/** The boards of a channel among these; without any, those that no channel is known to have: a board may be new. */
function ownAmong(ids: readonly string[], channelId: string, owners: BoardOwners): string[] {
  const own = ids.filter((id) => owners.get(id)?.has(channelId));
  return own.length > 0 ? own : ids.filter((id) => !owners.has(id));
}

/** Where each Pinterest profile has a board of its own, none takes a board that no channel is known to have. */
function lostBoards(
  { update: { subprofileIds: ids }, named }: ProfilesCreate,
  owners: BoardOwners,
): string[] {
  const hasOwn = ({ channel }: NamedProfile) => ids.some((id) => owners.get(id)?.has(channel.id));
  const isLost = ids.some((id) => !owners.has(id)) && named.profiles.filter(isPin).every(hasOwn);
  return isLost ? ['each board of subprofile_ids that no profile is known to have'] : [];
}

/** An update for one profile. `leftOut` says in words which boards nobody takes. */
interface OwnUpdate {
  update: NewUpdate;
  leftOut: string[];
}

/**
 * The update for one profile. Costs a request only where it is not clear which board is whose.
 * @throws {FieldRefused | ScopeMissing | GrantDead | Forbidden | LimitReached | Unavailable} nothing was posted
 */
export async function withOwnBoards(create: ProfilesCreate, profile: NamedProfile): Promise<OwnUpdate> {
  const { update } = create;
  if (!isPin(profile) || isClear(create)) return { update, leftOut: [] };
  const owners = await create.owners();
  const subprofileIds = ownAmong(update.subprofileIds, profile.channel.id, owners);
  if (subprofileIds.length === 0 && !update.isDraft)
    throw badValue('subprofile_ids', 'names no board of this profile');
  return { update: { ...update, subprofileIds }, leftOut: lostBoards(create, owners) };
}
