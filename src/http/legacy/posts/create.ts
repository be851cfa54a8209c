import type { RequestHandler } from 'express';
import type { LegacyDeps } from '../deps.ts';
import type { Caller } from '../../../domain/ids/match-ids.ts';
import {
  type CreatedUpdates,
  createUpdates,
  type ProfileEnd,
} from '../../../domain/posts/writes/create-update.ts';
import { updateIdsAfterWrite } from '../../../domain/posts/ids/told-ids.ts';
import {
  acceptedMessage,
  type ProfileEndWords,
  refusalOfAll,
} from '../../../domain/translation/create-answer.ts';
import { type OldUpdate, oldUpdate } from '../../../domain/translation/old-update.ts';
import { sendJson } from '../../wire/legacy-error.ts';
import { callPairs } from './call-pairs.ts';
import { type CallHandlerFactory, errorOf, placeToLook, writing } from './write-answers.ts';

/** POST /1/updates/create.json: one post for each named profile. */

function inWords(end: ProfileEnd): ProfileEndWords {
  const { displayName, name, service } = end.channel;
  return { ...end, profile: `${displayName || name} (${service})` };
}

async function updatesOf(
  context: LegacyDeps,
  { mapping }: Caller,
  created: CreatedUpdates,
): Promise<OldUpdate[]> {
  const { ends, named } = created;
  const account = { modernId: named.reading.account.id, toldId: named.ids.account };
  const posts = ends.flatMap((end) => (end.kind === 'done' ? [end.post] : []));
  const updateIds = await updateIdsAfterWrite(context, { mapping, ids: named.ids }, posts);
  const now = context.clock.now();
  return ends.flatMap((end) =>
    end.kind === 'done'
      ? [oldUpdate(end.post, { profileId: end.toldId, account, zone: end.channel.timezone, now, updateIds })]
      : [],
  );
}

/** POST /1/updates/create.json. */
export function createUpdateEndpoint(context: LegacyDeps, call: CallHandlerFactory): RequestHandler {
  return call(
    writing(context, async (caller, writer, { req, res }) => {
      const created = await createUpdates(context, caller, { pairs: await callPairs(req), writer });
      const ends = created.ends.map(inWords);
      const updates = await updatesOf(context, caller, created);
      if (updates.length === 0) throw errorOf(refusalOfAll(ends, placeToLook(context, caller.mapping)));
      const count = created.pending === undefined ? {} : { buffer_count: created.pending };
      sendJson(res, 200, { success: true, message: acceptedMessage(ends), ...count, updates });
    }),
  );
}
