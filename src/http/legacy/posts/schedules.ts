import type { RequestHandler } from 'express';
import type { LegacyDeps } from '../deps.ts';
import type { createCalls } from '../call.ts';
import { LegacyError, sendJson } from '../../wire/legacy-error.ts';
import { legacySchedules } from '../legacy-profile.ts';
import { namedChannel } from '../profiles.ts';

type HandlerFactory = ReturnType<typeof createCalls>;

/** GET /1/profiles/:id/schedules.json: the posting times of one profile, as in the profile itself. */
export function schedules(context: LegacyDeps, call: HandlerFactory): RequestHandler {
  return call(async (caller, req, res) => {
    const { channel } = await namedChannel(context, caller, { req, res });
    sendJson(res, 200, legacySchedules(channel.postingSchedule));
  });
}

/** "Profile was not saved" in the old table. The status is 400 because clients take 401 and 403 for a dead token. */
const NOT_SAVED = [400, 1012] as const;

/**
 * POST /1/profiles/:id/schedules/update.json. The new API lets no program change posting times. The refusal names the
 * address where a person can change them.
 */
export function updateSchedules({ settings }: LegacyDeps, call: HandlerFactory): RequestHandler {
  const link = settings.modernSettingsUrl;
  const message = `Posting times can no longer be changed by a program. Change them here: ${link}`;
  return call(async () => {
    throw new LegacyError([...NOT_SAVED, message], { extra: { link } });
  });
}
