import { SILENT_AFTER } from '../../../../shared/lifetimes.ts';
import { readBreaker, takeTurn } from '../../../../store/grants/refresh-breaker.ts';
import type { GrantsDeps } from '../../deps.ts';
import { withTimeout } from '../../../work/with-timeout.ts';
import { nextTurn } from './breaker-rules.ts';

/** Whether the server answers a request that presents nothing. */
async function isAnswering(context: GrantsDeps): Promise<boolean> {
  return withTimeout(context.server.answers(), SILENT_AFTER).catch(() => false);
}

/** The turn in which refreshing is stopped because answers were lost; undefined where refreshing is not. */
async function trippedTurn({ clock, store }: GrantsDeps): Promise<number | undefined> {
  const view = await readBreaker(store.durable, clock.now());
  const next = nextTurn(view, clock.now());
  const isTripped = view.trippedAt !== null && next.kind === 'stopped' && next.until === view.nextAt;
  return isTripped ? view.turn : undefined;
}

/**
 * While the breaker on lost answers is tripped: asks the authorization server for its metadata, which presents nothing.
 * When the server was silent and answers again, the next refresh is tried at once and not after up to five minutes. A
 * server that answers this request all the time, and loses the answers to refreshes, shortens nothing. Each refresh
 * that is tried begins a new turn, so that a server must be silent again before the next pause is shortened.
 */
export async function shortenStop(context: GrantsDeps): Promise<void> {
  const { clock, logger, silentTurn, store } = context;
  const turn = context.instance.isCopy() ? undefined : await trippedTurn(context);
  if (turn === undefined) return;
  const wasSilent = silentTurn.turn === turn;
  if (!(await isAnswering(context))) silentTurn.turn = turn;
  else if (wasSilent && (await takeTurn(store.durable, turn, { next_at: clock.now() })))
    logger.info('the authorization server was silent and answers again, the bridge tries a refresh');
}
