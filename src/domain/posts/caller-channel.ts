import { MINUTE } from '../../shared/lifetimes.ts';
import type { Context } from '../context.ts';
import type { Caller } from '../ids/match-ids.ts';
import { type LegacyIds, legacyIds, meantChannel } from '../ids/legacy-ids.ts';
import { type Reading, readAccount } from '../reads/read-account.ts';
import { servedBy } from '../tokens/resolve-token.ts';
import type { UpdateView } from '../translation/old-update.ts';

/**
 * The channel that a call about posts means. Of the account such a call needs only what hardly ever changes, so that one
 * reading of the account serves for an hour, and a list costs one request. A channel that is not in it is looked for once
 * more in a fresh one.
 */

const KNOWN_FOR = 60 * MINUTE;

/** A channel as the caller reaches it. */
export interface CallerChannel {
  channel: Reading['channels'][number];
  account: Reading['account'];
  ids: LegacyIds;
}

type FindId = (ids: LegacyIds) => Promise<string | undefined> | string | undefined;

async function findIn(
  context: Context,
  caller: Caller,
  { findId, acceptedAge }: { findId: FindId; acceptedAge: number },
): Promise<CallerChannel | undefined> {
  const reading = await servedBy(context, caller.mapping, (grant) =>
    readAccount(context, grant, acceptedAge),
  );
  const ids = await legacyIds(context, caller, reading);
  const id = await findId(ids);
  const channel = reading.channels.find((one) => one.id === id);
  return channel && { channel, account: reading.account, ids };
}

async function find(context: Context, caller: Caller, findId: FindId): Promise<CallerChannel | undefined> {
  const known = await findIn(context, caller, { findId, acceptedAge: KNOWN_FOR });
  return known ?? findIn(context, caller, { findId, acceptedAge: 0 });
}

/** The channel that a caller means by a profile id; undefined where it reaches none of that id. */
export function channelOfProfile(
  context: Context,
  caller: Caller,
  profileId: string,
): Promise<CallerChannel | undefined> {
  return find(context, caller, (ids) => meantChannel(context, ids, profileId));
}

/** The channel with an id of the new API; undefined where the caller does not reach it. */
export function channelWithId(
  context: Context,
  caller: Caller,
  channelId: string,
): Promise<CallerChannel | undefined> {
  return find(context, caller, ({ profiles }) => (profiles.has(channelId) ? channelId : undefined));
}

/** How posts of the channel are told to the caller. */
export function viewOf(
  { channel, account, ids }: CallerChannel,
  { now, isUtc }: { now: number; isUtc: boolean },
): UpdateView {
  return {
    profileId: ids.profiles.get(channel.id) ?? channel.id,
    account: { modernId: account.id, toldId: ids.account },
    zone: isUtc ? 'UTC' : channel.timezone,
    now,
  };
}
