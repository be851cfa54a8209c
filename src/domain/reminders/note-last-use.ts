import { DAY, MINUTE } from '../../shared/lifetimes.ts';
import { dayOf } from '../../shared/moments.ts';
import {
  keepLastUses,
  keepNotedAt,
  keepPassedUses,
  type LastUse,
  readNotedAt,
  type UseIntervals,
  usesAfter,
} from '../../store/usage/last-use.ts';
import { callsWholeAfter } from '../../store/usage/known-calls.ts';
import type { RemindersDeps } from './deps.ts';
import { USED_WITHIN } from './plan-stages.ts';
import { yieldToEventLoop } from '../work/yield-to-event-loop.ts';

/**
 * Copies the last use of each token, to the day, from the usage rows to the token. A crash of the database may lose
 * usage rows. With the copy, no used token looks unused after a crash. A use that ends a long silence is kept too,
 * because the holder is told of this use at once.
 */

const CHUNK = 1000;
const KEPT = { keptEvery: 12 * 60 * MINUTE, silence: USED_WITHIN };

/** Earlier uses would not change any reminder. */
const LOOKED_BACK = USED_WITHIN + DAY;

type LastUsePosition = Pick<LastUse, 'day' | 'mapping_id'>;

/** Undefined when usage cannot be read. */
async function readChunk(
  { store, logger }: RemindersDeps,
  after: LastUsePosition,
): Promise<LastUse[] | undefined> {
  try {
    return await usesAfter(store, after, CHUNK);
  } catch (error) {
    logger.warn('usage cannot be read, the bridge keeps the last uses that it knows', { error });
    return undefined;
  }
}

/** One statement moves a token only once, so each day has its own statement, in the order of days. */
async function keepChunk(
  { store, oldBackend, shutdown }: RemindersDeps,
  uses: readonly LastUse[],
  intervals: UseIntervals,
): Promise<void> {
  for (const day of new Set(uses.map((use) => use.day))) {
    const ofDay = uses.filter((use) => use.day === day);
    await keepLastUses(store.aside, ofDay, intervals);
    if (oldBackend) await keepPassedUses(store.aside, ofDay, intervals);
    await yieldToEventLoop(shutdown.signal);
  }
}

/** Counts that cannot be read prove no silence. `readChunk` tells of them. */
async function countedSince({ store }: RemindersDeps): Promise<number> {
  return callsWholeAfter(store).then(
    ({ tokens }) => tokens,
    () => Infinity,
  );
}

/** One day before the last complete run, because some rows are written late. */
async function firstDay({ store }: RemindersDeps, now: number): Promise<string> {
  const notedAt = (await readNotedAt(store.durable)) ?? 0;
  return dayOf(Math.max(Math.min(notedAt, now) - DAY, now - LOOKED_BACK));
}

/**
 * Copies the last uses since the previous run. Rows only move forward, so several processes may do the same at once.
 */
export async function noteLastUse(context: RemindersDeps): Promise<void> {
  const now = context.clock.now();
  const intervals = { ...KEPT, countedSince: await countedSince(context) };
  let after: LastUsePosition = { day: await firstDay(context, now), mapping_id: '' };
  for (;;) {
    const uses = await readChunk(context, after);
    const last = uses?.at(-1);
    if (uses === undefined) return;
    if (last === undefined) break;
    await keepChunk(context, uses, intervals);
    after = last;
  }
  await keepNotedAt(context.store.aside, now);
}
