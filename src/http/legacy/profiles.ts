import type { RequestHandler } from 'express';
import type { Context } from '../../domain/context.ts';
import { type createCalls, readFor } from './call.ts';
import { LegacyError, REFUSALS, sendJson } from './legacy-error.ts';
import { legacyProfile } from './legacy-profile.ts';

type Calls = ReturnType<typeof createCalls>;

/** GET /1/profiles.json: a bare array of every channel that the account reaches (specification 4.3, quirk Q9). */
export function profiles(context: Context, call: Calls): RequestHandler {
  return call(async (mapping, _req, res) => {
    const { account, channels } = await readFor(context, mapping, res);
    sendJson(
      res,
      200,
      channels.map((channel) => legacyProfile(channel, account.id)),
    );
  });
}

/** GET /1/profiles/:id.json: one of them. */
export function profile(context: Context, call: Calls): RequestHandler {
  return call(async (mapping, req, res) => {
    const { account, channels } = await readFor(context, mapping, res);
    const channel = channels.find(({ id }) => id === req.params['id']);
    if (!channel) throw new LegacyError(REFUSALS.unknownProfile);
    sendJson(res, 200, legacyProfile(channel, account.id));
  });
}
