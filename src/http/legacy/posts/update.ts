import type { RequestHandler } from 'express';
import type { LegacyDeps } from '../deps.ts';
import { channelWithId, viewOf } from '../../../domain/posts/caller-channel.ts';
import { readKnownUpdate } from '../../../domain/posts/ids/read-known-update.ts';
import { updateIdsFor } from '../../../domain/posts/ids/told-ids.ts';
import { oldUpdate } from '../../../domain/translation/old-update.ts';
import { isUpdateId } from '../../../domain/translation/update-id.ts';
import type { createCalls } from '../call.ts';
import { LegacyError, REFUSALS, sendJson } from '../../wire/legacy-error.ts';
import { tellAge } from './age.ts';
import { readFlag, readParameters } from './list-parameters.ts';

/** GET /1/updates/:id.json: one post in any status. */
export function update(context: LegacyDeps, call: ReturnType<typeof createCalls>): RequestHandler {
  return call(async (caller, req, res) => {
    const isUtc = readFlag(await readParameters(req), 'utc');
    const id = String(req.params['id']);
    if (!isUpdateId(id)) throw new LegacyError(REFUSALS.unknownUpdate);
    const answer = await readKnownUpdate(context, caller, id);
    const found = answer.post && (await channelWithId(context, caller, answer.post.channelId));
    if (!answer.post || !found) throw new LegacyError(REFUSALS.unknownUpdate);
    tellAge(context, res, answer);
    const told = { mapping: caller.mapping, ids: found.ids };
    const updateIds = await updateIdsFor(context, told, [answer.post]);
    const view = { ...viewOf(found, { now: context.clock.now(), isUtc }), updateIds };
    sendJson(res, 200, oldUpdate(answer.post, view));
  });
}
