import type { RequestHandler } from 'express';
import type { LegacyDeps } from './deps.ts';
import { legacyIds } from '../../domain/ids/legacy-ids.ts';
import { keepUser } from '../../domain/posts/told-user.ts';
import type { AccountWithAge } from '../../domain/reads/read-account.ts';
import { shadow } from '../../domain/reads/shadow.ts';
import { type createCalls, readFor } from './call.ts';
import { sendJsonText } from '../wire/legacy-error.ts';
import { unixSeconds } from './legacy-profile.ts';
import { wantsKept } from './plain/kept-texts.ts';

/**
 * The old user object. It has both `id` and `_id` (docs/old-api.md Q10), and `secret_email`, which old sign-in clients
 * show as the name. Plan and last activity are unknown and absent. The new API has no referrals, so their fields are
 * empty.
 */
function legacyUser({ account }: AccountWithAge, id: string) {
  return {
    id,
    _id: id,
    created_at: unixSeconds(account.createdAt),
    email: account.email,
    name: account.name ?? account.email,
    referral_link: '',
    referral_token: '',
    secret_email: account.email,
    timezone: account.timezone ?? 'UTC',
    twentyfour_hour_time: account.preferences?.timeFormat === '24',
    week_starts_monday: account.preferences?.startOfWeek?.toLowerCase() === 'monday',
  };
}

/** GET /1/user.json. */
export function user(context: LegacyDeps, call: ReturnType<typeof createCalls>): RequestHandler {
  return call(async (caller, req, res) => {
    const reading = await readFor(context, caller.mapping, res);
    const ids = await legacyIds(context, caller, reading);
    const answer = legacyUser(reading, ids.account);
    const text = JSON.stringify(answer);
    sendJsonText(res, 200, text);
    if (wantsKept(req)) keepUser(context, caller.mapping, { text, fetchedAt: reading.fetchedAt });
    shadow(context, caller, { read: 'user', answer });
  });
}
