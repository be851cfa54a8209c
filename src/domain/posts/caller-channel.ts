import { MINUTE } from '../../shared/lifetimes.ts';
import type { PostsDeps } from './deps.ts';
import type { Caller } from '../ids/match-ids.ts';
import { type LegacyIds, legacyIds, meantChannel } from '../ids/legacy-ids.ts';
import { type AccountNeed, type AccountWithAge, readAccount } from '../reads/read-account.ts';
import type { UpdateView } from '../translation/old-update.ts';
import { accountReadBy } from './scope-missing.ts';

/**
 * Finds the channel of a call about posts. Such a call needs only facts of the account that rarely change. Therefore
 * one reading of the account serves for an hour, and a list costs one request. A channel that is missing in this
 * reading is looked for once more in a newer one.
 */

export const KNOWN_FOR = 60 * MINUTE;

/**
 * An id that a reading of this age does not have is unknown. Programs learn new ids from a reading, and old programs go
 * on naming profiles that are gone.
 */
const UNKNOWN_FOR = 10 * MINUTE;

/** A channel that the caller reaches. */
export interface CallerChannel {
  channel: AccountWithAge['channels'][number];
  /** The account, and the age of what is known of account and channel. */
  reading: Pick<AccountWithAge, 'account' | 'fetchedAt'>;
  ids: LegacyIds;
}

/** What a call needs of the account at first, and where the id that it names is unknown. */
export const KNOWN_ENOUGH: AccountNeed = { acceptedAge: KNOWN_FOR };
export const ONCE_MORE: AccountNeed = { acceptedAge: UNKNOWN_FOR, wantedBy: 'unknown id' };

type ProfileIdFinder = (ids: LegacyIds) => Promise<string | undefined> | string | undefined;

async function findIn(
  context: PostsDeps,
  caller: Caller,
  { findId, need }: { findId: ProfileIdFinder; need: AccountNeed },
): Promise<CallerChannel | undefined> {
  const reading = await accountReadBy(context, caller.mapping, (grant) => readAccount(context, grant, need));
  const ids = await legacyIds(context, caller, reading);
  const id = await findId(ids);
  const channel = reading.channels.find((one) => one.id === id);
  return channel && { channel, reading, ids };
}

async function find(
  context: PostsDeps,
  caller: Caller,
  findId: ProfileIdFinder,
): Promise<CallerChannel | undefined> {
  const known = await findIn(context, caller, { findId, need: KNOWN_ENOUGH });
  return known ?? findIn(context, caller, { findId, need: ONCE_MORE });
}

/** The channel that a caller names by a profile id; undefined where the caller reaches no channel of this id. */
export function channelOfProfile(
  context: PostsDeps,
  caller: Caller,
  profileId: string,
): Promise<CallerChannel | undefined> {
  return find(context, caller, (ids) => meantChannel(context, ids, profileId));
}

/** The channel with an id of the new API; undefined where the caller does not reach the channel. */
export function channelWithId(
  context: PostsDeps,
  caller: Caller,
  channelId: string,
): Promise<CallerChannel | undefined> {
  return find(context, caller, ({ profiles }) => (profiles.has(channelId) ? channelId : undefined));
}

/** The view of the caller on the posts of a channel. */
export function viewOf(
  { channel, reading: { account }, ids }: CallerChannel,
  { now, isUtc }: { now: number; isUtc: boolean },
): UpdateView {
  return {
    profileId: ids.profiles.get(channel.id) ?? channel.id,
    account: { modernId: account.id, toldId: ids.account },
    zone: isUtc ? 'UTC' : channel.timezone,
    now,
  };
}
