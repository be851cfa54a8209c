import type { Request, RequestHandler, Response } from 'express';
import type { LegacyDeps } from './deps.ts';
import { type LegacyIds, legacyIds, meantChannel } from '../../domain/ids/legacy-ids.ts';
import type { Caller } from '../../domain/ids/match-ids.ts';
import { knownCounts } from '../../domain/posts/known-counts.ts';
import { keepProfiles } from '../../domain/posts/told-profiles.ts';
import type { AccountWithAge } from '../../domain/reads/read-account.ts';
import { shadow } from '../../domain/reads/shadow.ts';
import { type createCalls, readFor } from './call.ts';
import { LegacyError, REFUSALS, sendJson, sendJsonText } from '../wire/legacy-error.ts';
import { legacyProfile } from './legacy-profile.ts';
import { subprofilesFor } from './subprofiles.ts';
import { wantsKept } from './plain/kept-texts.ts';

type HandlerFactory = ReturnType<typeof createCalls>;

/** GET /1/profiles.json: a bare array of every channel that the account reaches (docs/old-api.md Q9). */
export function profiles(context: LegacyDeps, call: HandlerFactory): RequestHandler {
  return call(async (caller, req, res) => {
    const { mapping } = caller;
    const reading = await readFor(context, mapping, res);
    const ids = await legacyIds(context, caller, reading);
    const { lengths, countsOf } = await knownCounts(context, mapping.grant_id);
    const boardsOf = await subprofilesFor(context, { mapping, reading }, { req, res });
    const answer = reading.channels.map((channel) => legacyProfile(channel, ids, countsOf(channel.id)));
    const told = reading.channels.map((channel, index) => ({ ...answer[index], ...boardsOf(channel) }));
    const text = JSON.stringify(told);
    sendJsonText(res, 200, text);
    if (lengths && wantsKept(req))
      keepProfiles(context, mapping, { text, lengths, fetchedAt: reading.fetchedAt });
    shadow(context, caller, { read: 'profiles', answer });
  });
}

interface NamedChannel {
  reading: AccountWithAge;
  channel: AccountWithAge['channels'][number];
  ids: LegacyIds;
}

/**
 * The channel that the path of a call names, by its old id or its new id.
 * @throws {LegacyError} 404 where the account reaches no such channel
 */
export async function namedChannel(
  context: LegacyDeps,
  caller: Caller,
  { req, res }: { req: Request; res: Response },
): Promise<NamedChannel> {
  const reading = await readFor(context, caller.mapping, res);
  const ids = await legacyIds(context, caller, reading);
  const meant = await meantChannel(context, ids, String(req.params['id']));
  const channel = reading.channels.find(({ id }) => id === meant);
  if (!channel) throw new LegacyError(REFUSALS.unknownProfile);
  return { reading, channel, ids };
}

/** GET /1/profiles/:id.json: one profile, by its old id or its new id (docs/decisions/0016). */
export function profile(context: LegacyDeps, call: HandlerFactory): RequestHandler {
  return call(async (caller, req, res) => {
    const { mapping } = caller;
    const { reading, channel, ids } = await namedChannel(context, caller, { req, res });
    const { countsOf } = await knownCounts(context, mapping.grant_id);
    const boardsOf = await subprofilesFor(context, { mapping, reading }, { req, res });
    const answer = legacyProfile(channel, ids, countsOf(channel.id));
    sendJson(res, 200, { ...answer, ...boardsOf(channel) });
    shadow(context, caller, { read: 'profile', answer });
  });
}
