import type { RequestHandler, Response } from 'express';
import type { LegacyDeps } from '../deps.ts';
import { changeKnownUpdate } from '../../../domain/posts/ids/change-known-update.ts';
import { type UpdateIds, updateIdsAfterWrite } from '../../../domain/posts/ids/told-ids.ts';
import type { UpdateChange, ChangeEnd } from '../../../domain/posts/writes/change-update.ts';
import { knownCounts } from '../../../domain/posts/known-counts.ts';
import { type NamedProfiles, profilesNamed } from '../../../domain/posts/known-profiles.ts';
import { flag, type FieldPairs } from '../../../domain/translation/call-fields.ts';
import { inDoubtWords, POSSIBLE_EFFECTS } from '../../../domain/translation/doubt-words.ts';
import { sharedMessage } from '../../../domain/translation/create-answer.ts';
import { UNKNOWN_OUTCOME } from '../../../domain/translation/old-refusal.ts';
import { type OldUpdate, oldUpdate } from '../../../domain/translation/old-update.ts';
import { sendJson } from '../../wire/legacy-error.ts';
import { callPairs } from './call-pairs.ts';
import { type CallHandlerFactory, errorOf, placeToLook, writing } from './write-answers.ts';

/** The old calls that change one post: update, share, destroy, move_to_top. */

type CompletedChange = Extract<ChangeEnd, { kind: 'done' }>;

interface ChangeAnswerInput {
  context: LegacyDeps;
  known: NamedProfiles;
  pairs: FieldPairs;
  updateIds: UpdateIds;
  /** How many posts wait in the queue of the post, where the number is known. */
  waiting: number | undefined;
}

function updateOf(
  { context, known, pairs, updateIds }: ChangeAnswerInput,
  post: NonNullable<CompletedChange['post']>,
): OldUpdate {
  const { reading, ids } = known;
  const channel = reading.channels.find(({ id }) => id === post.channelId);
  return oldUpdate(post, {
    profileId: ids.profiles.get(post.channelId) ?? post.channelId,
    account: { modernId: reading.account.id, toldId: ids.account },
    zone: flag(pairs, 'utc') ? 'UTC' : (channel?.timezone ?? 'UTC'),
    now: context.clock.now(),
    updateIds,
  });
}

type ChangeAnswerSender = (res: Response, answering: ChangeAnswerInput, done: CompletedChange) => void;

const SENT: Record<UpdateChange['call'], ChangeAnswerSender> = {
  update(res, answering, { post, leftOut }) {
    const message = ['The update was changed.', ...leftOut.map((what) => `Left out: ${what}.`)].join(' ');
    const count = answering.waiting === undefined ? {} : { buffer_count: answering.waiting };
    sendJson(res, 200, { success: true, message, ...count, update: post && updateOf(answering, post) });
  },
  share: (res, _, { post }) => sendJson(res, 200, { success: true, message: sharedMessage(post) }),
  destroy: (res) => sendJson(res, 200, { success: true, message: 'The update was deleted.' }),
  move_to_top: (res, answering, { post }) =>
    sendJson(res, 200, post ? updateOf(answering, post) : { success: true }),
};

const IN_DOUBT: Record<UpdateChange['call'], string> = {
  update: POSSIBLE_EFFECTS.changeUpdate,
  share: POSSIBLE_EFFECTS.shareUpdate,
  destroy: POSSIBLE_EFFECTS.destroyUpdate,
  move_to_top: POSSIBLE_EFFECTS.moveUpdateToTop,
};

/** The known number of waiting posts. No request is sent for the number. */
async function waitingWith(
  context: LegacyDeps,
  grantId: string,
  post: CompletedChange['post'],
): Promise<number | undefined> {
  if (post?.status !== 'scheduled') return undefined;
  return (await knownCounts(context, grantId)).countsOf(post.channelId).pending;
}

function inDoubt(call: UpdateChange['call'], said: string | undefined, link: string) {
  const message = inDoubtWords({ message: said, may: IN_DOUBT[call], again: 'the call' });
  return errorOf({ ...UNKNOWN_OUTCOME, message, link });
}

/** Makes the handler of POST /1/updates/:id/update.json, share.json, destroy.json or move_to_top.json. */
export function changing(
  context: LegacyDeps,
  call: CallHandlerFactory,
  name: UpdateChange['call'],
): RequestHandler {
  return call(
    writing(context, async (caller, writer, { req, res }) => {
      const pairs = await callPairs(req);
      flag(pairs, 'utc');
      // Read the profiles before the change, so that no step can fail after the change.
      const known = await profilesNamed(context, caller, []);
      const change = { call: name, id: String(req.params['id']), pairs };
      const end = await changeKnownUpdate(context, { writer, known }, change);
      if (end.kind === 'refused') throw errorOf(end.refusal);
      if (end.kind === 'in_doubt') throw inDoubt(name, end.message, placeToLook(context, caller.mapping));
      const told = { mapping: caller.mapping, ids: known.ids };
      const updateIds = await updateIdsAfterWrite(context, told, end.post ? [end.post] : []);
      const waiting = await waitingWith(context, caller.mapping.grant_id, end.post);
      SENT[name](res, { context, known, pairs, updateIds, waiting }, end);
    }),
  );
}
