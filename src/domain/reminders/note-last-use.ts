import { DAY, MINUTE } from '../../shared/lifetimes.ts';
import { keepLastUses, type LastUse, usesAfter } from '../../store/last-use.ts';
import type { Context } from '../context.ts';
import { dayOf } from '../usage.ts';
import { USED_WITHIN } from './plan-stages.ts';
import { takeTurns } from './take-turns.ts';

/**
 * What tokens are used for is written where a crash of the database may lose it; that they are used at all is copied from
 * there to the tokens themselves, to the day, so that a crash makes no used token look unused. A use that ends a long
 * silence is kept with it, because its holder is told of that at once.
 */

const CHUNK = 1000;
const SILENCES = { keptEvery: 12 * 60 * MINUTE, silence: USED_WITHIN };

type Place = Pick<LastUse, 'day' | 'mapping_id'>;

async function readChunk({ store, logger }: Context, after: Place): Promise<LastUse[]> {
  try {
    return await usesAfter(store, after, CHUNK);
  } catch (error) {
    logger.warn('what tokens are used for cannot be read, the last uses that are known count', { error });
    return [];
  }
}

/** Copies the last uses of yesterday and today; a row only ever moves forward, so any number of processes may do it. */
export async function noteLastUse(context: Context): Promise<void> {
  let after: Place = { day: dayOf(context.clock.now() - DAY), mapping_id: '' };
  for (;;) {
    const uses = await readChunk(context, after);
    const last = uses.at(-1);
    if (!last) return;
    await keepLastUses(context.store.aside, uses, SILENCES);
    after = last;
    await takeTurns();
  }
}
