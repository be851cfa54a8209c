import type { Clock } from '../shared/clock.ts';
import { MINUTE } from '../shared/lifetimes.ts';
import type { Logger } from '../shared/logger.ts';

/**
 * Many grants that end in a short time mean that something larger is wrong than single grants (a restored copy at work,
 * a fault of the modern side): refreshing stops before every grant has been ended, and a person is called (design 4).
 */
export interface RefreshBreaker {
  /** Counts one grant that is about to end, refused or lost. */
  note(): void;
  /** Until when nothing may be refreshed; 0 when refreshing goes on. */
  stoppedUntil(): number;
}

const ENDED = 10;
const WITHIN = 1 * MINUTE;
const STOPPED_FOR = 5 * MINUTE;

/** The breaker of one process. */
export function createRefreshBreaker(clock: Clock, logger: Logger): RefreshBreaker {
  let endedAt: number[] = [];
  let until = 0;
  return {
    note() {
      const now = clock.now();
      endedAt = [...endedAt.filter((at) => at > now - WITHIN), now];
      if (endedAt.length < ENDED) return;
      until = now + STOPPED_FOR;
      logger.error('ALARM: many grants ended in a short time, refreshing is stopped', {
        ended: endedAt.length,
      });
    },
    stoppedUntil: () => (until > clock.now() ? until : 0),
  };
}
