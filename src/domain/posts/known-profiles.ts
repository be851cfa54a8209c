import type { AccountReading } from '../../upstream/main-api.ts';
import type { PostsDeps } from './deps.ts';
import { KNOWN_ENOUGH, ONCE_MORE } from './caller-channel.ts';
import type { Caller } from '../ids/match-ids.ts';
import { legacyIds, type LegacyIds, meantChannel } from '../ids/legacy-ids.ts';
import { type AccountNeed, readAccount, type AccountWithAge } from '../reads/read-account.ts';
import { accountReadBy } from './scope-missing.ts';

/**
 * Finds the profiles that a call names. One reading of the account serves for an hour, so a write costs one request.
 * Only an unknown id causes a new reading, and only where the last reading is not young.
 */

type Channel = AccountReading['channels'][number];

/** A channel, with the id that the app knows. */
export interface NamedProfile {
  channel: Channel;
  toldId: string;
}

export interface NamedProfiles {
  profiles: NamedProfile[];
  /** The ids that belong to no profile of the account. */
  unknown: string[];
  reading: AccountWithAge;
  ids: LegacyIds;
}

async function resolveIn(
  context: PostsDeps,
  caller: Caller,
  named: { reading: AccountWithAge; given: readonly string[] },
) {
  const { reading, given } = named;
  const ids = await legacyIds(context, caller, reading);
  const found = new Map<string, NamedProfile>();
  const unknown: string[] = [];
  for (const id of given) {
    const meant = await meantChannel(context, ids, id);
    const channel = reading.channels.find((one) => one.id === meant);
    if (channel) found.set(channel.id, { channel, toldId: ids.profiles.get(channel.id) ?? channel.id });
    else unknown.push(id);
  }
  return { profiles: [...found.values()], unknown, reading, ids };
}

/**
 * The profiles of the account for the ids in a call. A profile that is named twice appears once.
 * @throws {GrantDead | ScopeMissing | Forbidden | Unavailable | TokenRefused}
 */
export async function profilesNamed(
  context: PostsDeps,
  caller: Caller,
  given: readonly string[],
): Promise<NamedProfiles> {
  const read = (need: AccountNeed) =>
    accountReadBy(context, caller.mapping, (grant) => readAccount(context, grant, need));
  const named = await resolveIn(context, caller, { reading: await read(KNOWN_ENOUGH), given });
  if (named.unknown.length === 0) return named;
  return resolveIn(context, caller, { reading: await read(ONCE_MORE), given });
}
