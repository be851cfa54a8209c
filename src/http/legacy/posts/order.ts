import type { RequestHandler, Response } from 'express';
import type { LegacyDeps } from '../deps.ts';
import { isNotShown } from '../../../domain/failures.ts';
import type { Caller } from '../../../domain/ids/match-ids.ts';
import { updateIdsAfterWrite } from '../../../domain/posts/ids/told-ids.ts';
import { type CallerChannel, viewOf } from '../../../domain/posts/caller-channel.ts';
import {
  channelToOrder,
  type OrderEnd,
  reorderQueue,
  type ShuffleEnd,
  shuffleQueue,
} from '../../../domain/posts/order/order-updates.ts';
import { pausedWords, refusalOfEnd } from '../../../domain/posts/order/order-words.ts';
import { type OldUpdate, oldUpdate } from '../../../domain/translation/old-update.ts';
import { reorderFields, shuffleFields } from '../../../domain/translation/queue-order.ts';
import { LegacyError, REFUSALS, sendJson } from '../../wire/legacy-error.ts';
import { callPairs } from './call-pairs.ts';
import { type CallHandlerFactory, errorOf, placeToLook, writing } from './write-answers.ts';

/** The old calls that change the order of the buffer of a profile: reorder, shuffle. */

/** @throws {ScopeMissing | LegacyError} */
async function channelOf(context: LegacyDeps, caller: Caller, profileId: string): Promise<CallerChannel> {
  const found = await channelToOrder(context, caller, profileId);
  if (!found) throw new LegacyError(REFUSALS.unknownProfile);
  return found;
}

/** The old API would not have a channel that the new API no longer shows, so the profile is unknown. */
function refusalOf(error: unknown): unknown {
  return isNotShown(error) ? new LegacyError(REFUSALS.unknownProfile) : error;
}

interface OrderAnswer {
  end: OrderEnd;
  /** The change in words, such as `The updates were reordered.` */
  words: string;
  updates: OldUpdate[] | undefined;
  /** The page where a person can see the outcome. */
  link: string;
}

/** @throws {WriteRefused} the wanted order was not reached, or the outcome is unknown */
function sendOrder(res: Response, { end, words, updates, link }: OrderAnswer): void {
  if (!end.isReached) throw errorOf(refusalOfEnd(end, link), updates && { updates });
  sendJson(res, 200, { success: true, message: [words, ...pausedWords(end)].join(' '), updates });
}

interface OrderUpdatesInput {
  context: LegacyDeps;
  caller: Caller;
  found: CallerChannel;
  isUtc: boolean;
}

async function updatesOf(
  { context, caller, found, isUtc }: OrderUpdatesInput,
  { posts }: OrderEnd,
): Promise<OldUpdate[] | undefined> {
  const told = { mapping: caller.mapping, ids: found.ids };
  const updateIds = await updateIdsAfterWrite(context, told, posts ?? []);
  const view = { ...viewOf(found, { now: context.clock.now(), isUtc }), updateIds };
  return posts?.map((post) => oldUpdate(post, view));
}

/** POST /1/profiles/:id/updates/reorder.json. */
export function reorderUpdates(context: LegacyDeps, call: CallHandlerFactory): RequestHandler {
  return call(
    writing(context, async (caller, writer, { req, res }) => {
      const { isUtc, ...wanted } = reorderFields(await callPairs(req));
      const found = await channelOf(context, caller, String(req.params['id']));
      const ordering = { call: 'reorder', writer, channel: found.channel, ids: found.ids } as const;
      const end = await reorderQueue(context, ordering, wanted).catch((error: unknown) => {
        throw refusalOf(error);
      });
      const updates = await updatesOf({ context, caller, found, isUtc }, end);
      const link = placeToLook(context, caller.mapping);
      sendOrder(res, { end, words: 'The updates were reordered.', updates, link });
    }),
  );
}

function shuffleWords({ drawn, outOf }: ShuffleEnd): string {
  return drawn === outOf
    ? 'The updates were shuffled.'
    : `The first ${drawn} updates were drawn from all ${outOf}; the others follow as they were.`;
}

/** POST /1/profiles/:id/updates/shuffle.json. */
export function shuffleUpdates(context: LegacyDeps, call: CallHandlerFactory): RequestHandler {
  return call(
    writing(context, async (caller, writer, { req, res }) => {
      const { isUtc, count } = shuffleFields(await callPairs(req));
      const found = await channelOf(context, caller, String(req.params['id']));
      const ordering = { call: 'shuffle', writer, channel: found.channel } as const;
      const end = await shuffleQueue(context, ordering).catch((error: unknown) => {
        throw refusalOf(error);
      });
      const updates = (await updatesOf({ context, caller, found, isUtc }, end))?.slice(0, count);
      const link = placeToLook(context, caller.mapping);
      sendOrder(res, { end, words: shuffleWords(end), updates, link });
    }),
  );
}
