import {
  type BreakerView,
  endStopOfDeaths,
  readBreaker,
  redateDoubts,
  takeTurn,
} from '../../../../store/grants/refresh-breaker.ts';
import type { GrantsDeps } from '../../deps.ts';
import {
  type BreakerTurn,
  dueChange,
  hasDateAhead,
  hasDoubtAhead,
  hasEndAhead,
  nextTurn,
  proofChange,
} from './breaker-rules.ts';

/**
 * The breaker at work. Its decisions stand in the database, so that all processes and machines agree and a restart
 * forgets nothing. The first process that sees a trip, or the end of a stop, records the change once.
 */

type BreakerDeps = Pick<GrantsDeps, 'store' | 'clock' | 'logger'>;

function tell({ logger }: BreakerDeps, isTripped: boolean, { doubts, trippedAt }: BreakerView): void {
  if (isTripped && trippedAt !== null) {
    logger.warn('a clock ran ahead when the breaker tripped, the breaker counts from now on');
  } else if (isTripped) {
    logger.error('ALARM: many answers were lost in a row, the bridge tries only one refresh a minute', {
      lost: doubts,
    });
  } else {
    logger.info('answers come back again, the bridge refreshes grants as usual');
  }
}

/** The breaker, and the time by which its dates are read. */
interface DatedView {
  view: BreakerView;
  now: number;
}

/**
 * Reads the breaker. Where a date lies ahead of this process the database is asked for its time: a machine that slept is
 * behind for a moment, and would date anew what is right.
 */
async function readAtRightTime({ store, clock }: BreakerDeps): Promise<DatedView> {
  const now = clock.now();
  const view = await readBreaker(store.durable, now);
  if (!hasDateAhead(view, now)) return { view, now };
  const right = Math.max(now, await store.now());
  // Such an end stops nobody. It would be looked at anew before each refresh, until then.
  if (hasEndAhead(view, right)) await endStopOfDeaths(store.durable, view.deathsUntil);
  return { view: await readBreaker(store.durable, right), now: right };
}

/** Reads the breaker. Lost answers that a wrong clock dated ahead get the present date first. */
async function readWithoutFuture(deps: BreakerDeps): Promise<DatedView> {
  const { store, logger } = deps;
  const seen = await readAtRightTime(deps);
  const { now } = seen;
  if (!hasDoubtAhead(seen.view, now)) return seen;
  await redateDoubts(store, now);
  logger.warn('a clock ran ahead when answers were lost, the lost answers count from now on');
  return { view: await readBreaker(store.durable, now), now };
}

/** Reads the breaker, after recording a change that is due. */
async function lookAtBreaker(deps: BreakerDeps): Promise<DatedView> {
  const db = deps.store.durable;
  const seen = await readWithoutFuture(deps);
  const { view, now } = seen;
  const change = dueChange(view, now);
  if (change === undefined) return seen;
  if (await takeTurn(db, view.turn, change)) tell(deps, change.tripped_at !== null, view);
  return { view: await readBreaker(db, now), now };
}

/** What the next presentation may do. */
export async function findTurn(deps: BreakerDeps): Promise<BreakerTurn> {
  const { view, now } = await lookAtBreaker(deps);
  return nextTurn(view, Math.max(now, deps.clock.now()));
}

/** Until when no refresh token may be presented; 0 when presenting is allowed. */
export async function presentingStoppedUntil(deps: BreakerDeps): Promise<number> {
  const turn = await findTurn(deps);
  return turn.kind === 'stopped' ? turn.until : 0;
}

/** When the last refresh was answered with a token pair; 0 when no pair came lately. */
export async function lastGoodAnswer({ store, clock }: BreakerDeps): Promise<number> {
  return (await readBreaker(store.durable, clock.now())).goodAt;
}

/** Records a change of the breaker that is due after an outcome, without waiting for the next presentation. */
export async function followOutcome(deps: BreakerDeps): Promise<void> {
  // After a failure the next presentation records the change.
  await lookAtBreaker(deps).catch(() => undefined);
}

/**
 * Shortens the pause after a single attempt that proved that no answer was lost. The next attempt follows in a minute.
 */
export async function endProbe(deps: BreakerDeps, turn: BreakerTurn): Promise<void> {
  if (turn.kind !== 'probe') return;
  // If this write fails, the next attempt waits for the whole pause.
  await takeTurn(deps.store.durable, turn.seen + 1, proofChange(deps.clock.now())).catch(() => undefined);
}
