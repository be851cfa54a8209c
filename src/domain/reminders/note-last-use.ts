import { DAY, MINUTE } from '../../shared/lifetimes.ts';
import { dayOf } from '../../shared/moments.ts';
import {
  keepLastUses,
  keepNotedAt,
  keepPassedUses,
  type LastUse,
  readNotedAt,
  usesAfter,
} from '../../store/usage/last-use.ts';
import type { Context } from '../context.ts';
import { USED_WITHIN } from './plan-stages.ts';
import { yieldToEventLoop } from '../work/yield-to-event-loop.ts';

/**
 * What tokens are used for is written where a crash of the database may lose it; that they are used at all is copied from
 * there to the tokens themselves, to the day, so that a crash makes no used token look unused. A use that ends a long
 * silence is kept with it, because its holder is told of that at once.
 */

const CHUNK = 1000;
const SILENCES = { keptEvery: 12 * 60 * MINUTE, silence: USED_WITHIN };

/** Uses of earlier days would change nothing that people are told. */
const LOOKED_BACK = USED_WITHIN + DAY;

type Place = Pick<LastUse, 'day' | 'mapping_id'>;

/** Undefined when they cannot be read. */
async function readChunk({ store, logger }: Context, after: Place): Promise<LastUse[] | undefined> {
  try {
    return await usesAfter(store, after, CHUNK);
  } catch (error) {
    logger.warn('what tokens are used for cannot be read, the last uses that are known count', { error });
    return undefined;
  }
}

/** A statement moves a token once: so each day has one of its own, in their order. */
async function keepChunk({ store, oldBackend, shutdown }: Context, uses: readonly LastUse[]): Promise<void> {
  for (const day of new Set(uses.map((use) => use.day))) {
    const ofDay = uses.filter((use) => use.day === day);
    await keepLastUses(store.aside, ofDay, SILENCES);
    if (oldBackend) await keepPassedUses(store.aside, ofDay, SILENCES);
    await yieldToEventLoop(shutdown.signal);
  }
}

/** The day before the last one that was read to its end, for what is written late. */
async function firstDay({ store }: Context, now: number): Promise<string> {
  const notedAt = (await readNotedAt(store.durable)) ?? 0;
  return dayOf(Math.max(Math.min(notedAt, now) - DAY, now - LOOKED_BACK));
}

/** Copies the last uses since the last time; a row only ever moves forward, so any number of processes may do it. */
export async function noteLastUse(context: Context): Promise<void> {
  const now = context.clock.now();
  let after: Place = { day: await firstDay(context, now), mapping_id: '' };
  for (;;) {
    const uses = await readChunk(context, after);
    const last = uses?.at(-1);
    if (uses === undefined) return;
    if (last === undefined) break;
    await keepChunk(context, uses);
    after = last;
  }
  await keepNotedAt(context.store.aside, now);
}
