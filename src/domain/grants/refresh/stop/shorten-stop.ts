import { SILENT_AFTER } from '../../../../shared/lifetimes.ts';
import {
  type BreakerView,
  countLostSince,
  readBreaker,
  takeTurn,
} from '../../../../store/grants/refresh-breaker.ts';
import type { GrantsDeps } from '../../deps.ts';
import { withTimeout } from '../../../work/with-timeout.ts';
import { areAnswersAway, belongsToStop, LOST_IN_STOP_AT_MOST, nextTurn } from './breaker-rules.ts';

/** Whether the server answers a request that presents nothing. */
async function isAnswering(context: GrantsDeps): Promise<boolean> {
  return withTimeout(context.server.answers(), SILENT_AFTER).catch(() => false);
}

/** Whether answers are lost or late, or refreshing is stopped because they were. */
function isInTrouble(view: BreakerView, now: number): boolean {
  if (view.trippedAt === null) return areAnswersAway(view, now);
  const next = nextTurn(view, now);
  return next.kind === 'stopped' && next.until === view.nextAt;
}

/** Whether few attempts of this stop lost their answers lately, though the server seemed to be back before them. */
async function mayTry({ store }: GrantsDeps, { trippedAt, since }: BreakerView): Promise<boolean> {
  const counted = { since: Math.max(trippedAt ?? 0, since), limit: LOST_IN_STOP_AT_MOST };
  return (await countLostSince(store.durable, counted)) < LOST_IN_STOP_AT_MOST;
}

/** Lets the next refresh be tried at once. */
async function endPause(context: GrantsDeps, view: BreakerView): Promise<void> {
  const { clock, logger, store } = context;
  if (!(await mayTry(context, view))) return;
  if (await takeTurn(store.durable, view.turn, { next_at: clock.now() }))
    logger.info('the authorization server was silent and answers again, the bridge tries a refresh');
}

/** Notes a silence that began at this time. It lasted into the turn of now, which an attempt may have begun meanwhile. */
async function noteSilence({ clock, silentTurn, store }: GrantsDeps, at: number): Promise<void> {
  const { turn } = await readBreaker(store.durable, clock.now());
  Object.assign(silentTurn, { turn, at });
}

/**
 * While answers are lost: asks the authorization server for its metadata, which presents nothing. When the server was
 * silent and answers again, the next refresh is tried at once and not after the pause of the breaker, which lasts from
 * one minute to five. The silence may begin before the breaker trips, because five lost answers take many seconds, and
 * may end before the next look after that.
 *
 * A server that answers this request all the time, and loses the answers to refreshes, shortens nothing. Each refresh
 * that is tried begins a new turn, so that a server must be silent again before the next pause is shortened; and one
 * that comes and goes, and loses those answers too, shortens only a few.
 */
export async function shortenStop(context: GrantsDeps): Promise<void> {
  const { clock, silentTurn, store } = context;
  if (context.instance.isCopy()) return;
  const now = clock.now();
  const view = await readBreaker(store.durable, now);
  if (!isInTrouble(view, now)) return;
  const wasSilent = belongsToStop(silentTurn, view);
  if (!(await isAnswering(context))) await noteSilence(context, now);
  else if (wasSilent) await endPause(context, view);
}
