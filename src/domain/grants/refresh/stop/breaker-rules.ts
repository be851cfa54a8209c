import {
  BREAKER_PAUSE,
  BREAKER_PAUSE_MAX,
  CLOCKS_DIFFER,
  DEATHS_STOP,
  SILENT_AFTER,
} from '../../../../shared/lifetimes.ts';
import {
  type BreakerChange,
  type BreakerView,
  GOOD_COUNTED,
  type SeenBreaker,
  undoubtedSince,
} from '../../../../store/grants/refresh-breaker.ts';

/**
 * Pure rules that limit how many refresh tokens may be presented while answers are lost. Each lost answer may have
 * spent a refresh token for good. So a fault on the way back must not meet the whole fleet.
 *
 * - No answer was lost since the last good answer, and five good answers came within the last seconds: there is no
 *   limit.
 * - No answer was lost, but fewer than five good answers came: nobody knows whether answers come now. At most five
 *   presentations may be under way without a good answer since their start. Each good answer lets five more start, and
 *   the fifth good answer ends the limit.
 * - An answer was lost or is late: lost answers and presentations under way together are at most five.
 * - Five answers were lost without a good answer between them: the breaker trips. The whole fleet makes one
 *   presentation a minute, and the pause doubles up to five minutes while answers stay away. One good answer ends the
 *   stop.
 */

/** How many answers may be lost before the breaker trips. */
export const LOST_AT_MOST = 5;

/**
 * After so many attempts in vain within a quarter of an hour, a silence shortens no pause of the stop. The pauses by
 * themselves let four attempts begin in that time, so one long silence never reaches this number.
 */
export const LOST_IN_STOP_AT_MOST = 5;

/** What one process has seen of the authorization server while answers to refreshes were lost. */
export interface SilentTurn {
  /** The turn in which the server was silent, also to requests that present nothing. */
  turn: number | undefined;
  /** When the request began that it was silent to; 0 when there was none. */
  at: number;
}

/** What the next presentation may do. */
export type BreakerTurn =
  /** No limit. The claim holds only while `breaker` stays as it was read. */
  | { kind: 'free'; breaker: SeenBreaker }
  /**
   * A limited number at once: `few` while nobody knows whether answers come, `counted` while answers are lost. `seen`
   * is the turn that was read.
   */
  | { kind: 'few' | 'counted'; seen: number }
  /** The single attempt while the breaker is tripped. Its claim takes the turn after `seen` and writes `change`. */
  | { kind: 'probe'; seen: number; change: BreakerChange }
  /** Presentations under way have to end first. Their answers decide. */
  | { kind: 'wait' }
  | { kind: 'stopped'; until: number };

/** A turn that allows a presentation. */
export type OpenTurn = Exclude<BreakerTurn, { kind: 'wait' | 'stopped' }>;

/** `until` if the time lies ahead, but no further than a process with a right clock would write; else 0. */
function ahead(until: number, now: number, longest: number): number {
  return until > now && until <= now + longest + CLOCKS_DIFFER ? until : 0;
}

function whileTripped({ turn, nextAt, pause }: BreakerView, now: number): BreakerTurn {
  const until = ahead(nextAt, now, BREAKER_PAUSE_MAX);
  if (until > 0) return { kind: 'stopped', until };
  const next = Math.min(Math.max(pause, BREAKER_PAUSE) * 2, BREAKER_PAUSE_MAX);
  return { kind: 'probe', seen: turn, change: { pause: next, next_at: now + next } };
}

/** Whether the oldest presentation under way has waited so long that its answer counts as lost. */
export function isAnswerLate({ flyingSince }: BreakerView, now: number): boolean {
  return flyingSince !== null && now - flyingSince >= SILENT_AFTER;
}

/** Whether an answer was lost or is late, and no good answer came since. */
export function areAnswersAway(view: BreakerView, now: number): boolean {
  return view.doubts > 0 || isAnswerLate(view, now);
}

/** What the next presentation may do, from the state in the database. */
export function nextTurn(view: BreakerView, now: number): BreakerTurn {
  const dead = ahead(view.deathsUntil, now, DEATHS_STOP);
  if (dead > 0) return { kind: 'stopped', until: dead };
  if (view.trippedAt !== null) return whileTripped(view, now);
  const isCalm = !areAnswersAway(view, now);
  if (isCalm && view.goodLately >= GOOD_COUNTED) {
    return { kind: 'free', breaker: { turn: view.turn, goodAt: view.goodAt, since: view.since } };
  }
  if (view.doubts + view.flying >= LOST_AT_MOST) return { kind: 'wait' };
  return { kind: isCalm ? 'few' : 'counted', seen: view.turn };
}

/**
 * The change that a claim under the given turn makes for all processes; undefined when the turn is no longer open.
 * `view` may be newer than `now`, because a claim waits for earlier claims. Decisions in between changed the number of
 * the turn. Claims of kind `few` and `counted` do not change the number, so they do not refuse each other.
 */
export function changeOfClaim(given: OpenTurn, view: BreakerView, now: number): BreakerChange | undefined {
  const seen = given.kind === 'free' ? given.breaker.turn : given.seen;
  if (view.turn !== seen) return undefined;
  const turn = nextTurn(view, now);
  if (given.kind === 'probe') return turn.kind === 'probe' ? turn.change : undefined;
  return turn.kind === given.kind || isCalmTurn(turn) ? {} : undefined;
}

/** Whether no answer is known to be lost or late. Only then live access tokens are refreshed ahead of time. */
export function isCalmTurn({ kind }: BreakerTurn): boolean {
  return kind === 'free' || kind === 'few';
}

/** A time further ahead than two clocks may differ was written by a wrong clock. */
function isDatedAhead(at: number | null, now: number): boolean {
  return at !== null && at > now + CLOCKS_DIFFER;
}

/**
 * Whether lost answers have a date in the future. They need a new date, because no good answer could come after them.
 */
export function hasDoubtAhead({ lastDoubt }: BreakerView, now: number): boolean {
  return isDatedAhead(lastDoubt, now);
}

/** Whether the end of the stop after deaths lies further ahead than such a stop lasts. */
export function hasEndAhead({ deathsUntil }: BreakerView, now: number): boolean {
  return isDatedAhead(deathsUntil, now + DEATHS_STOP);
}

/**
 * Whether a date lies further ahead than a process with a right clock would write. Either a wrong clock wrote it, or the
 * clock of this process is behind, which it learns within a second.
 */
export function hasDateAhead(view: BreakerView, now: number): boolean {
  const { trippedAt, nextAt } = view;
  return (
    hasDoubtAhead(view, now) ||
    isDatedAhead(trippedAt, now) ||
    isDatedAhead(nextAt, now + BREAKER_PAUSE_MAX) ||
    hasEndAhead(view, now)
  );
}

/**
 * Whether a silence belongs to the stop of this turn: it was seen in the turn itself, or in the one before, from which
 * the breaker tripped, after the last good answer. The pauses after the first one each need a silence of their own.
 */
export function belongsToStop({ turn, at }: SilentTurn, view: BreakerView): boolean {
  if (view.trippedAt === null) return false;
  if (turn === view.turn) return true;
  // The time of the next attempt is still the one that the trip wrote.
  const isFirstPause = view.nextAt === view.trippedAt + BREAKER_PAUSE;
  return isFirstPause && turn === view.turn - 1 && at > undoubtedSince(view);
}

/** The change that trips the breaker, or that ends the stop after a good answer; undefined when no change is due. */
export function dueChange(view: BreakerView, now: number): BreakerChange | undefined {
  if (view.trippedAt === null) {
    const trips = view.doubts >= LOST_AT_MOST;
    return trips ? { tripped_at: now, pause: BREAKER_PAUSE, next_at: now + BREAKER_PAUSE } : undefined;
  }
  // The breaker tripped, but at a date in the future. The trip now counts from the present, because no good answer
  // could come after the future date.
  if (isDatedAhead(view.trippedAt, now)) return { tripped_at: now };
  return view.goodAt > view.trippedAt ? { tripped_at: null, pause: 0, next_at: 0 } : undefined;
}

/**
 * The change after an answer that was not good, but proves that no answer was lost: the next attempt follows a minute
 * later. The pause keeps its length, because an overloaded server refuses some requests and loses the answers to
 * others.
 */
export function proofChange(now: number): BreakerChange {
  return { next_at: now + BREAKER_PAUSE };
}
