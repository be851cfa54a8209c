import { chunksOf } from '../../shared/chunks-of.ts';
import { groupBy } from '../../shared/group-by.ts';
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
import { restForCalls } from '../work/yield-to-event-loop.ts';

/**
 * Copies the last use of each token, to the day, from the usage rows to the token. A crash of the database may lose
 * usage rows. With the copy, no used token looks unused after a crash. A use that ends a long silence is kept too,
 * because the holder is told of this use at once.
 */

/** Tokens of one reading. Each may have a row of usage for each of its calls and programs. */
const READ_AT_ONCE = 200;

/**
 * Tokens of one change. Each may lie on a page of its own, and SQLite writes these pages while the process waits: to its log,
 * and from time to time to the file.
 */
const KEPT_AT_ONCE = 50;

const KEPT = { keptEvery: 12 * 60 * MINUTE, silence: USED_WITHIN };

/** Earlier uses would not change any reminder. */
const LOOKED_BACK = USED_WITHIN + DAY;

type LastUsePosition = Pick<LastUse, 'day' | 'mapping_id'>;

/** Undefined when usage cannot be read. */
async function readUses(
  { store, logger }: RemindersDeps,
  after: LastUsePosition,
): Promise<LastUse[] | undefined> {
  try {
    return await usesAfter(store, after, READ_AT_ONCE);
  } catch (error) {
    logger.warn('usage cannot be read, the bridge keeps the last uses that it knows', { error });
    return undefined;
  }
}

/**
 * One statement moves a token only once, so each day has its own statements, in the order of days.
 * @throws {Error} named AbortError, when the process stops
 */
async function keepUses(
  { store, oldBackend, shutdown }: RemindersDeps,
  uses: readonly LastUse[],
  intervals: UseIntervals,
): Promise<void> {
  for (const ofDay of groupBy(uses, ({ day }) => day).values())
    for (const some of chunksOf(ofDay, KEPT_AT_ONCE)) {
      await keepLastUses(store.aside, some, intervals);
      await restForCalls(shutdown.signal);
      if (!oldBackend) continue;
      await keepPassedUses(store.aside, some, intervals);
      await restForCalls(shutdown.signal);
    }
}

/** Counts that cannot be read prove no silence. `readUses` tells of them. */
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
    const uses = await readUses(context, after);
    const last = uses?.at(-1);
    if (uses === undefined) return;
    if (last === undefined) break;
    await keepUses(context, uses, intervals);
    after = last;
  }
  await keepNotedAt(context.store.aside, now);
}
