import type { RequestHandler } from 'express';
import type { Context } from '../../domain/context.ts';
import { legacyIds, meantChannel } from '../../domain/legacy-ids.ts';
import { knownCounts } from '../../domain/posts/known-counts.ts';
import { shadow } from '../../domain/shadow.ts';
import { type createCalls, readFor } from './call.ts';
import { LegacyError, REFUSALS, sendJson } from './legacy-error.ts';
import { legacyProfile } from './legacy-profile.ts';

type Calls = ReturnType<typeof createCalls>;

/** GET /1/profiles.json: a bare array of every channel that the account reaches (specification 4.3, quirk Q9). */
export function profiles(context: Context, call: Calls): RequestHandler {
  return call(async (caller, _req, res) => {
    const reading = await readFor(context, caller.mapping, res);
    const ids = await legacyIds(context, caller, reading);
    const countsOf = await knownCounts(context, caller.mapping.grant_id);
    const answer = reading.channels.map((channel) => legacyProfile(channel, ids, countsOf(channel.id)));
    sendJson(res, 200, answer);
    shadow(context, caller, { read: 'profiles', answer });
  });
}

/** GET /1/profiles/:id.json: one of them, by either generation's id (design 5, ids). */
export function profile(context: Context, call: Calls): RequestHandler {
  return call(async (caller, req, res) => {
    const reading = await readFor(context, caller.mapping, res);
    const ids = await legacyIds(context, caller, reading);
    const meant = await meantChannel(context, ids, String(req.params['id']));
    const channel = reading.channels.find(({ id }) => id === meant);
    if (!channel) throw new LegacyError(REFUSALS.unknownProfile);
    const countsOf = await knownCounts(context, caller.mapping.grant_id);
    const answer = legacyProfile(channel, ids, countsOf(channel.id));
    sendJson(res, 200, answer);
    shadow(context, caller, { read: 'profile', answer });
  });
}
