import { setTimeout as delay } from 'node:timers/promises';
import { LOOK_AGAIN, SILENT_AFTER } from '../../../shared/lifetimes.ts';
import { Unavailable } from '../../../upstream/outcomes.ts';
import type { Context } from '../../context.ts';
import type { Turn } from './breaker-rules.ts';
import { findTurn } from './doubt-breaker.ts';
import type { Place } from './refresh-limit.ts';

/**
 * What one process does while only a few refresh tokens may be presented at once. The database holds the bound; this
 * spares connections that would be opened in vain, and looks into the database once for all that wait.
 */

/** Who waits gives up after this time, and looks at the grant again: answers that are later than that are lost ones. */
const PATIENCE = SILENT_AFTER;

/**
 * Goes on with a turn; undefined where the answers to others have to be waited for.
 * @throws {Unavailable} presenting is stopped
 */
export function enter({ clock, places }: Pick<Context, 'clock' | 'places'>, turn: Turn): Place | undefined {
  if (turn.kind === 'stopped') {
    const retryAfter = Math.max(turn.until - clock.now(), 1000);
    throw new Unavailable('refreshing is stopped for a while', { retryAfter });
  }
  return turn.kind === 'wait' ? undefined : places.take(turn);
}

/** The next look into the database, which all share that wait in this process. */
function lookAgain(context: Context): Promise<Turn> {
  return context.flights.run('a turn to present', async () => {
    await delay(LOOK_AGAIN);
    return findTurn(context);
  });
}

/**
 * Waits until a presentation may go on; undefined where that takes too long.
 * @throws {Unavailable} presenting is stopped
 */
export async function waitToEnter(context: Context): Promise<Place | undefined> {
  const until = performance.now() + PATIENCE;
  while (performance.now() < until) {
    const place = enter(context, await lookAgain(context));
    if (place !== undefined) return place;
  }
  return undefined;
}
