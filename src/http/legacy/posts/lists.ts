import type { Request, RequestHandler, Response } from 'express';
import type { LegacyDeps } from '../deps.ts';
import type { Caller } from '../../../domain/ids/match-ids.ts';
import { updateIdsFor } from '../../../domain/posts/ids/told-ids.ts';
import { pendingList, sentList } from '../../../domain/posts/lists/lists.ts';
import { oldUpdate } from '../../../domain/translation/old-update.ts';
import type { createCalls } from '../call.ts';
import { sendJson } from '../../wire/legacy-error.ts';
import { tellAge } from './age.ts';
import { readListParameters } from './list-parameters.ts';
import { updatesOfProfile } from './updates-of-profile.ts';

type HandlerFactory = ReturnType<typeof createCalls>;

/** Makes the handler of one of the two lists of a profile. */
function listOf(context: LegacyDeps, makeList: typeof pendingList) {
  return async (caller: Caller, req: Request, res: Response): Promise<void> => {
    const parameters = await readListParameters(req);
    const call = { makeList, id: String(req.params['id']), parameters };
    const { answer, ids, view } = await updatesOfProfile(context, caller, call);
    const updateIds = await updateIdsFor(context, { mapping: caller.mapping, ids }, answer.posts);
    tellAge(context, res, answer);
    const updates = answer.posts.map((post) => oldUpdate(post, { ...view, updateIds }));
    sendJson(res, 200, { total: answer.total, updates });
  };
}

/** GET /1/profiles/:id/updates/pending.json. */
export function pendingUpdates(context: LegacyDeps, call: HandlerFactory): RequestHandler {
  return call(listOf(context, pendingList));
}

/** GET /1/profiles/:id/updates/sent.json. */
export function sentUpdates(context: LegacyDeps, call: HandlerFactory): RequestHandler {
  return call(listOf(context, sentList));
}
