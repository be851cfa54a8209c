import { MINUTE } from '../shared/lifetimes.ts';
import { listDeathTimes } from '../store/grants.ts';
import type { Context } from './context.ts';

/**
 * Many grants that end in a short time mean that something larger is wrong than single grants (a restored copy at work,
 * a fault of the modern side): refreshing stops before every grant has been ended, and a person is called (design 4).
 * Read from the deaths themselves, so that all processes agree and a restart forgets nothing.
 */

const ENDED = 10;
const WITHIN = 1 * MINUTE;
const STOPPED_FOR = 5 * MINUTE;

/** Until when nothing may be refreshed; 0 when refreshing goes on. */
export async function refreshStoppedUntil(context: Context): Promise<number> {
  const now = context.clock.now();
  const deaths = await listDeathTimes(context.store.durable, { until: now, limit: ENDED });
  const [newest, tenth] = [deaths[0], deaths[ENDED - 1]];
  if (newest === undefined || tenth === undefined || newest - tenth > WITHIN) return 0;
  return newest + STOPPED_FOR > now ? newest + STOPPED_FOR : 0;
}
