import { SILENT_AFTER } from '../../../../shared/lifetimes.ts';
import { type BreakerView, readBreaker, takeTurn } from '../../../../store/grants/refresh-breaker.ts';
import type { GrantsDeps } from '../../deps.ts';
import { withTimeout } from '../../../work/with-timeout.ts';
import { areAnswersAway, belongsToStop, nextTurn } from './breaker-rules.ts';

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

/** Lets the next refresh be tried at once, if refreshing is stopped in this turn. */
async function endPause({ clock, logger, store }: GrantsDeps, view: BreakerView): Promise<void> {
  if (view.trippedAt === null) return;
  if (await takeTurn(store.durable, view.turn, { next_at: clock.now() }))
    logger.info('the authorization server was silent and answers again, the bridge tries a refresh');
}

/**
 * While answers are lost: asks the authorization server for its metadata, which presents nothing. When the server was
 * silent and answers again, the next refresh is tried at once and not after the pause of the breaker, which lasts from
 * one minute to five. The silence may begin before the breaker trips, because five lost answers take many seconds, and
 * may end before the next look after that.
 *
 * A server that answers this request all the time, and loses the answers to refreshes, shortens nothing. Each refresh
 * that is tried begins a new turn, so that a server must be silent again before the next pause is shortened.
 */
export async function shortenStop(context: GrantsDeps): Promise<void> {
  const { clock, silentTurn, store } = context;
  if (context.instance.isCopy()) return;
  const now = clock.now();
  const view = await readBreaker(store.durable, now);
  if (!isInTrouble(view, now)) return;
  const wasSilent = belongsToStop(silentTurn, view);
  if (!(await isAnswering(context))) Object.assign(silentTurn, { turn: view.turn, at: now });
  else if (wasSilent) await endPause(context, view);
}
