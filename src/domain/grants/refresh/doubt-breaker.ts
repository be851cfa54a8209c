import {
  type BreakerView,
  readBreaker,
  redateDoubts,
  takeTurn,
} from '../../../store/grants/refresh-breaker.ts';
import type { Context } from '../../context.ts';
import { dueChange, hasDoubtAhead, nextTurn, proofChange, type Turn } from './breaker-rules.ts';

/**
 * The breaker at work: what it decides stands in the database, so that all processes and machines agree and a restart
 * forgets nothing. Whoever sees first that it has to trip, or may let all pass again, writes that down, once.
 */

type BreakerDeps = Pick<Context, 'store' | 'clock' | 'logger'>;

function tell({ logger }: BreakerDeps, isTripped: boolean, { doubts, trippedAt }: BreakerView): void {
  if (isTripped && trippedAt !== null) {
    logger.warn('the breaker was tripped by a clock that runs ahead, it counts from now on');
  } else if (isTripped) {
    logger.error('ALARM: many answers were lost in a row, only one refresh a minute is tried', {
      lost: doubts,
    });
  } else {
    logger.info('answers come back again, refreshing goes on');
  }
}

/** Reads the breaker, without lost answers that a wrong clock dated ahead. */
async function readWithoutFuture({ store, logger }: BreakerDeps, now: number): Promise<BreakerView> {
  const view = await readBreaker(store.durable, now);
  if (!hasDoubtAhead(view, now)) return view;
  await redateDoubts(store, now);
  logger.warn('lost answers were dated by a clock that runs ahead, they count from now on');
  return readBreaker(store.durable, now);
}

/** Reads the breaker, and brings it up to date first where that is due. */
async function lookAtBreaker(deps: BreakerDeps): Promise<BreakerView> {
  const db = deps.store.durable;
  const now = deps.clock.now();
  const view = await readWithoutFuture(deps, now);
  const change = dueChange(view, now);
  if (change === undefined) return view;
  if (await takeTurn(db, view.turn, change)) tell(deps, change.tripped_at !== null, view);
  return readBreaker(db, now);
}

/** What the next presentation may do. */
export async function findTurn(deps: BreakerDeps): Promise<Turn> {
  return nextTurn(await lookAtBreaker(deps), deps.clock.now());
}

/** Until when nothing may be presented; 0 when something may be. */
export async function presentingStoppedUntil(deps: BreakerDeps): Promise<number> {
  const turn = await findTurn(deps);
  return turn.kind === 'stopped' ? turn.until : 0;
}

/** When a refresh was last answered with a pair; 0 when that is not lately. */
export async function lastGoodAnswer({ store, clock }: BreakerDeps): Promise<number> {
  return (await readBreaker(store.durable, clock.now())).goodAt;
}

/** After an outcome that the breaker rests on: it follows now rather than with the next presentation. */
export async function followOutcome(deps: BreakerDeps): Promise<void> {
  // The next presentation looks again.
  await lookAtBreaker(deps).catch(() => undefined);
}

/** A presentation that was tried alone came back with proof that no answer was lost: the next follows in a minute. */
export async function endProbe(deps: BreakerDeps, turn: Turn): Promise<void> {
  if (turn.kind !== 'probe') return;
  // Where this is not written, the next one is tried after the pause.
  await takeTurn(deps.store.durable, turn.seen + 1, proofChange(deps.clock.now())).catch(() => undefined);
}
