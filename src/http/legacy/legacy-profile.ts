import type { LegacyIds } from '../../domain/ids/legacy-ids.ts';
import type { KnownCounts } from '../../domain/posts/known-counts.ts';
import type { AccountWithAge } from '../../domain/reads/read-account.ts';
import { serviceName } from '../../domain/translation/networks.ts';
import { secondsOf } from '../../domain/translation/old-times.ts';

type Channel = AccountWithAge['channels'][number];

/** Unix seconds of an ISO time. An unreadable time becomes 0, because old clients throw at any value but a number. */
export function unixSeconds(iso: string | null | undefined): number {
  return secondsOf(iso) ?? 0;
}

/** Groups the days that have the same times, as the old API did. Days without times, and paused ones, are left out. */
export function legacySchedules(
  schedule: Channel['postingSchedule'],
): Array<{ days: string[]; times: string[] }> {
  const groups = new Map<string, { days: string[]; times: string[] }>();
  for (const { day, times } of schedule.filter((row) => row.times.length > 0 && row.paused !== true)) {
    const group = groups.get(times.join()) ?? { days: [], times };
    group.days.push(day);
    groups.set(times.join(), group);
  }
  return [...groups.values()];
}

function formattedUsername(channel: Channel): string {
  const name = channel.displayName || channel.name;
  return channel.service === 'twitter' && !name.startsWith('@') ? `@${channel.name.replace(/^@/, '')}` : name;
}

/**
 * One profile of `profiles.json`, made from a channel: the recorded field names and types (docs/old-api.md Q9: ids are
 * text, times whole seconds). Programs read `counts` and `statistics` one level down, so both are always maps. An unknown
 * number is absent in them. A setting that the new API does not have holds the value of an untouched old profile.
 */
export function legacyProfile(
  channel: Channel,
  { account: userId, profiles }: LegacyIds,
  counts: KnownCounts,
) {
  const id = profiles.get(channel.id) ?? channel.id;
  return {
    id,
    _id: id,
    avatar: channel.avatar,
    avatar_https: channel.avatar,
    counts,
    created_at: unixSeconds(channel.createdAt),
    default: true,
    disabled: channel.isLocked,
    disconnected: channel.isDisconnected ? 'true' : null,
    formatted_service: serviceName(channel.service) ?? channel.descriptor,
    formatted_username: formattedUsername(channel),
    paused: channel.isQueuePaused,
    schedules: legacySchedules(channel.postingSchedule),
    service: channel.service,
    service_id: channel.serviceId,
    service_type: channel.type,
    service_username: channel.name,
    statistics: {},
    team_members: [userId],
    timezone: channel.timezone,
    user_id: userId,
    utm_tracking: 'enabled',
  };
}
