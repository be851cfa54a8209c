import type { Request, RequestHandler } from 'express';
import type { Context } from '../../../domain/context.ts';
import { Forbidden, OrganizationGone, ScopeMissing } from '../../../domain/failures.ts';
import type { Caller } from '../../../domain/learn-ids.ts';
import { channelOfProfile, viewOf } from '../../../domain/posts/caller-channel.ts';
import { updateIdsFor } from '../../../domain/posts/ids/told-ids.ts';
import { pendingList, type PostList, sentList } from '../../../domain/posts/lists/lists.ts';
import { type ListAnswer, PageOutOfReach, readList } from '../../../domain/posts/lists/read-list.ts';
import { servedBy } from '../../../domain/resolve-token.ts';
import { oldUpdate } from '../../../domain/translation/old-update.ts';
import type { createCalls } from '../call.ts';
import { LegacyError, REFUSALS, sendJson } from '../legacy-error.ts';
import { tellAge } from './age.ts';
import { type ListParameters, outOfBounds, readListParameters } from './list-parameters.ts';

type Calls = ReturnType<typeof createCalls>;

function refusalOf(error: unknown): unknown {
  const isScope = error instanceof ScopeMissing;
  if (error instanceof OrganizationGone || (error instanceof Forbidden && !isScope))
    return new LegacyError(REFUSALS.unknownProfile);
  if (error instanceof PageOutOfReach)
    return outOfBounds(
      'page',
      'one that follows pages that were read before, for it is too far to be reached at once',
    );
  return error;
}

/** @throws {LegacyError} */
async function pageOf(
  context: Context,
  caller: Caller,
  { list, page, count }: { list: PostList } & ListParameters,
): Promise<ListAnswer> {
  const range = { offset: (page - 1) * count, count };
  const { client_id: clientId } = caller.mapping;
  try {
    return await servedBy(context, caller.mapping, (grant) =>
      readList(context, { grant, clientId }, { list, range }),
    );
  } catch (error) {
    throw refusalOf(error);
  }
}

/** Makes the answer to one of the two lists of a profile. */
function listOf(context: Context, makeList: typeof pendingList) {
  return async (caller: Caller, req: Request, res: Parameters<RequestHandler>[1]): Promise<void> => {
    const parameters = await readListParameters(req);
    const found = await channelOfProfile(context, caller, String(req.params['id']));
    if (!found) throw new LegacyError(REFUSALS.unknownProfile);
    const list = makeList(found.channel, parameters.since);
    const answer = await pageOf(context, caller, { list, ...parameters });
    const told = { mapping: caller.mapping, ids: found.ids };
    const updateIds = await updateIdsFor(context, told, answer.posts);
    const view = { ...viewOf(found, { now: context.clock.now(), isUtc: parameters.isUtc }), updateIds };
    tellAge(context, res, answer);
    sendJson(res, 200, { total: answer.total, updates: answer.posts.map((post) => oldUpdate(post, view)) });
  };
}

/** GET /1/profiles/:id/updates/pending.json. */
export function pendingUpdates(context: Context, call: Calls): RequestHandler {
  return call(listOf(context, pendingList));
}

/** GET /1/profiles/:id/updates/sent.json. */
export function sentUpdates(context: Context, call: Calls): RequestHandler {
  return call(listOf(context, sentList));
}
