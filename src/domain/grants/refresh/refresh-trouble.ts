import { DEATHS_STOP } from '../../../shared/lifetimes.ts';
import { type BreakerView, readBreaker } from '../../../store/grants/refresh-breaker.ts';
import type { GrantsDeps } from '../deps.ts';
import { dueChange, isAnswerLate, nextTurn } from './stop/breaker-rules.ts';

/** Tells people whether refreshing is stopped or slowed for the whole fleet. Looking changes nothing. */

export type RefreshTrouble =
  /** Many accounts lost a grant: the bridge refreshes no grant before `until`. */
  | { kind: 'deaths'; since: number; until: number }
  /** Answers were lost in a row: one refresh is tried at `nextAt`. */
  | { kind: 'tripped'; since: number; nextAt: number }
  /** Some answers were lost since the last good answer, or are late. */
  | { kind: 'slowed'; lost: number };

/** What is wrong, from the state in the database; undefined while refreshing goes on. */
export function troubleOf(view: BreakerView, now: number): RefreshTrouble | undefined {
  const turn = nextTurn(view, now);
  const isStopped = turn.kind === 'stopped';
  if (isStopped && turn.until === view.deathsUntil) {
    return { kind: 'deaths', since: view.deathsUntil - DEATHS_STOP, until: turn.until };
  }
  // If a good answer came after the trip, nothing is wrong: the next refresh ends the stop.
  if (view.trippedAt !== null) {
    if (dueChange(view, now)?.tripped_at === null) return undefined;
    return { kind: 'tripped', since: Math.min(view.trippedAt, now), nextAt: isStopped ? turn.until : now };
  }
  const isSlowed = view.doubts > 0 || isAnswerLate(view, now);
  return isSlowed ? { kind: 'slowed', lost: view.doubts } : undefined;
}

/** Reads the state of the breaker and returns the present trouble. */
export async function findRefreshTrouble({
  store,
  clock,
}: Pick<GrantsDeps, 'store' | 'clock'>): Promise<RefreshTrouble | undefined> {
  const now = clock.now();
  return troubleOf(await readBreaker(store.durable, now), now);
}

/** The trouble as a sentence; `timeWords` formats a time for the reader. */
export function troubleWords(trouble: RefreshTrouble, timeWords: (time: number) => string): string {
  switch (trouble.kind) {
    case 'deaths':
      return `Refreshing has been stopped since ${timeWords(trouble.since)}, because many accounts lost their connection within a minute. Refreshing goes on at ${timeWords(trouble.until)}.`;
    case 'tripped':
      return `Refreshing has been stopped since ${timeWords(trouble.since)}, because answers of the new API were lost one after the other. The bridge tries one refresh from ${timeWords(trouble.nextAt)} on. The first good answer ends this.`;
    case 'slowed':
      return `Refreshing is slowed to five at once, because answers of the new API are late or were lost (${trouble.lost} since the last good answer).`;
  }
}
