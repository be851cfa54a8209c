import type { Request, RequestHandler, Response } from 'express';
import type { LegacyDeps } from '../deps.ts';
import type { Caller } from '../../../domain/ids/match-ids.ts';
import { updateIdsFor } from '../../../domain/posts/ids/told-ids.ts';
import type { ListName } from '../../../domain/posts/lists/lists.ts';
import { keepList } from '../../../domain/posts/told-lists.ts';
import { oldUpdate } from '../../../domain/translation/old-update.ts';
import type { createCalls } from '../call.ts';
import { sendJsonText } from '../../wire/legacy-error.ts';
import { firstPageOf, wantsKept } from '../plain/kept-texts.ts';
import { tellAge } from './age.ts';
import { readListParameters } from './list-parameters.ts';
import { updatesOfProfile } from './updates-of-profile.ts';

type HandlerFactory = ReturnType<typeof createCalls>;

/** Makes the handler of one of the two lists of a profile. */
function listOf(context: LegacyDeps, list: ListName) {
  return async (caller: Caller, req: Request, res: Response): Promise<void> => {
    const parameters = await readListParameters(req);
    const id = String(req.params['id']);
    const made = await updatesOfProfile(context, caller, { list, id, parameters });
    const { answer, found, view } = made;
    const told = { mapping: caller.mapping, ids: found.ids };
    const updateIds = await updateIdsFor(context, told, answer.posts);
    tellAge(context, res, answer);
    const updates = answer.posts.map((post) => oldUpdate(post, { ...view, updateIds }));
    const text = JSON.stringify({ total: answer.total, updates });
    sendJsonText(res, 200, text);
    const call = wantsKept(req) ? firstPageOf({ list, id }, parameters) : undefined;
    if (call) keepList(context, caller.mapping, { call, text, ...made });
  };
}

/** GET /1/profiles/:id/updates/pending.json. */
export function pendingUpdates(context: LegacyDeps, call: HandlerFactory): RequestHandler {
  return call(listOf(context, 'pending'));
}

/** GET /1/profiles/:id/updates/sent.json. */
export function sentUpdates(context: LegacyDeps, call: HandlerFactory): RequestHandler {
  return call(listOf(context, 'sent'));
}
