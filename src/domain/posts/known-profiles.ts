import { MINUTE } from '../../shared/lifetimes.ts';
import type { AccountReading } from '../../upstream/main-api.ts';
import type { Context } from '../context.ts';
import type { Caller } from '../ids/match-ids.ts';
import { legacyIds, type LegacyIds, meantChannel } from '../ids/legacy-ids.ts';
import { readAccount, type Reading } from '../reads/read-account.ts';
import { servedBy } from '../tokens/resolve-token.ts';

/**
 * The profiles that a call names. One reading of the account serves for an hour, so that a write costs one request. Only an
 * id that is not in it asks the new API anew.
 */

type Channel = AccountReading['channels'][number];

/** A channel, and the id that the app knows it by. */
export interface NamedProfile {
  channel: Channel;
  toldId: string;
}

export interface NamedProfiles {
  profiles: NamedProfile[];
  /** The ids that name none of the account's profiles. */
  unknown: string[];
  reading: Reading;
  ids: LegacyIds;
}

async function resolveIn(
  context: Context,
  caller: Caller,
  named: { reading: Reading; given: readonly string[] },
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

/** Of an account a write needs only what hardly ever changes. */
const KNOWN_FOR = 60 * MINUTE;

/**
 * The account's profiles by the ids that a caller names; a profile that is named twice is there once.
 * @throws {GrantDead | Forbidden | Unavailable | TokenRefused}
 */
export async function profilesNamed(
  context: Context,
  caller: Caller,
  given: readonly string[],
): Promise<NamedProfiles> {
  const read = (acceptedAge: number) =>
    servedBy(context, caller.mapping, (grant) => readAccount(context, grant, acceptedAge));
  const named = await resolveIn(context, caller, { reading: await read(KNOWN_FOR), given });
  if (named.unknown.length === 0) return named;
  return resolveIn(context, caller, { reading: await read(0), given });
}
