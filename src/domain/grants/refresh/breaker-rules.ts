import {
  BREAKER_PAUSE,
  BREAKER_PAUSE_MAX,
  CLOCKS_DIFFER,
  DEATHS_STOP,
  SILENT_AFTER,
} from '../../../shared/lifetimes.ts';
import {
  type BreakerChange,
  type BreakerView,
  GOOD_COUNTED,
  type SeenBreaker,
} from '../../../store/grants/refresh-breaker.ts';

/**
 * Pure rules of how many refresh tokens may be presented while answers are lost. Each lost answer may have spent a token
 * for good, so a fault of the way back must not meet the whole fleet.
 *
 * - No answer was lost since the last good one, and five good ones came within the last seconds: there is no limit.
 * - Nothing was lost, but fewer came: nobody knows how answers come now. Presentations that are under way without a good
 *   answer since they began are five together at most. Each good answer lets five more go, and the fifth one all.
 * - An answer was lost, or one is late: lost answers and presentations under way are five together at most.
 * - Five answers were lost without a good one between: the breaker trips. One presentation a minute is made for the whole
 *   fleet, and the pause doubles to five minutes while answers stay away. One good answer ends that.
 */

/** How many answers may be lost before the breaker trips. */
export const LOST_AT_MOST = 5;

/** What the next presentation may do. */
export type Turn =
  /** As many at once as there are; `breaker` is what that rests on. */
  | { kind: 'free'; breaker: SeenBreaker }
  /** One of a few: `few` while nobody knows how answers come, `counted` while they are lost; both of the turn `seen`. */
  | { kind: 'few' | 'counted'; seen: number }
  /** The one that tries again: its claim takes the turn `seen` with `change`. */
  | { kind: 'probe'; seen: number; change: BreakerChange }
  /** Answers that are on their way decide. */
  | { kind: 'wait' }
  | { kind: 'stopped'; until: number };

/** A turn that lets something be presented. */
export type OpenTurn = Exclude<Turn, { kind: 'wait' | 'stopped' }>;

/** `until` where it lies ahead and no further than a process would write whose clock is right; else 0. */
function ahead(until: number, now: number, longest: number): number {
  return until > now && until <= now + longest + CLOCKS_DIFFER ? until : 0;
}

function whileTripped({ turn, nextAt, pause }: BreakerView, now: number): Turn {
  const until = ahead(nextAt, now, BREAKER_PAUSE_MAX);
  if (until > 0) return { kind: 'stopped', until };
  const next = Math.min(Math.max(pause, BREAKER_PAUSE) * 2, BREAKER_PAUSE_MAX);
  return { kind: 'probe', seen: turn, change: { pause: next, next_at: now + next } };
}

/** Whether the oldest presentation under way waits so long for its answer that it counts as lost. */
export function isAnswerLate({ flyingSince }: BreakerView, now: number): boolean {
  return flyingSince !== null && now - flyingSince >= SILENT_AFTER;
}

/** What the next presentation may do, by what the database says. */
export function nextTurn(view: BreakerView, now: number): Turn {
  const dead = ahead(view.deathsUntil, now, DEATHS_STOP);
  if (dead > 0) return { kind: 'stopped', until: dead };
  if (view.trippedAt !== null) return whileTripped(view, now);
  const isCalm = view.doubts === 0 && !isAnswerLate(view, now);
  if (isCalm && view.goodLately >= GOOD_COUNTED) {
    return { kind: 'free', breaker: { turn: view.turn, goodAt: view.goodAt, since: view.since } };
  }
  if (view.doubts + view.flying >= LOST_AT_MOST) return { kind: 'wait' };
  return { kind: isCalm ? 'few' : 'counted', seen: view.turn };
}

/**
 * What a claim changes for all that was given this turn before; undefined where the turn is not open any more. The view
 * may be later than `now`, for a claim waits for those before it: what was decided meanwhile shows in the number of the
 * turn. Claims of a few do not change it, so they do not refuse each other.
 */
export function changeOfClaim(given: OpenTurn, view: BreakerView, now: number): BreakerChange | undefined {
  const seen = given.kind === 'free' ? given.breaker.turn : given.seen;
  if (view.turn !== seen) return undefined;
  const turn = nextTurn(view, now);
  if (given.kind === 'probe') return turn.kind === 'probe' ? turn.change : undefined;
  return turn.kind === given.kind || isCalmTurn(turn) ? {} : undefined;
}

/** Whether nothing speaks of lost answers: what still lives may be renewed ahead of its end. */
export function isCalmTurn({ kind }: Turn): boolean {
  return kind === 'free' || kind === 'few';
}

/** Further ahead than the clocks of two processes may be apart: a wrong clock wrote it. */
function isDatedAhead(at: number | null, now: number): boolean {
  return at !== null && at > now + CLOCKS_DIFFER;
}

/** Whether lost answers have to be dated anew: no good answer could come after one of tomorrow. */
export function hasDoubtAhead({ lastDoubt }: BreakerView, now: number): boolean {
  return isDatedAhead(lastDoubt, now);
}

/** Whether the breaker has to trip, or has tripped and a good answer came since; the change that does it. */
export function dueChange(view: BreakerView, now: number): BreakerChange | undefined {
  if (view.trippedAt === null) {
    const trips = view.doubts >= LOST_AT_MOST;
    return trips ? { tripped_at: now, pause: BREAKER_PAUSE, next_at: now + BREAKER_PAUSE } : undefined;
  }
  // It has tripped, and counts from now on: no good answer could come after tomorrow.
  if (isDatedAhead(view.trippedAt, now)) return { tripped_at: now };
  return view.goodAt > view.trippedAt ? { tripped_at: null, pause: 0, next_at: 0 } : undefined;
}

/**
 * After an answer that proves that nothing was lost, though it was no good one: the next is tried a minute later. The pause
 * stays as long as it is, for a server that is overloaded refuses some requests and loses the answers to others.
 */
export function proofChange(now: number): BreakerChange {
  return { next_at: now + BREAKER_PAUSE };
}
