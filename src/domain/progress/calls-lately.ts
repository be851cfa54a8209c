import { listMappingIds, sumDays } from '../../store/usage-days.ts';
import { lastDays, totalsOf } from '../calls-per-day.ts';
import type { Context } from '../context.ts';
import { takeTurns } from '../reminders/take-turns.ts';

/** Tokens of one statement; SQLite does nothing else meanwhile. */
const TOKENS_AT_ONCE = 500;

/** The calls of all apps of one list are read of so many tokens; a page that is opened has no time for more. */
const TOKENS_READ = 5000;

export interface CallsLately {
  /** One for each day, the oldest first. */
  values: number[];
  total: number;
  /** Whether there are tokens whose calls were not read. */
  isPartial: boolean;
}

type Tokens = { clientId: string; accountId?: string };

/** The calls of some tokens on each of these days. */
async function valuesOf(
  { store }: Context,
  ids: readonly string[],
  days: readonly string[],
): Promise<number[]> {
  let values = days.map(() => 0);
  for (let start = 0; start < ids.length; start += TOKENS_AT_ONCE) {
    const piece = ids.slice(start, start + TOKENS_AT_ONCE);
    const more = totalsOf(days, await sumDays(store, piece, days[0] ?? ''));
    values = values.map((value, index) => value + (more[index] ?? 0));
    await takeTurns();
  }
  return values;
}

/**
 * How often each of these apps, or the tokens that an account has of it, called in the last `days`, in their order. What
 * comes after very many tokens is partial.
 */
export async function callsLately(
  context: Context,
  asked: readonly Tokens[],
  { days }: { days: number },
): Promise<CallsLately[]> {
  const axis = lastDays(context, days);
  const found: CallsLately[] = [];
  let left = TOKENS_READ;
  for (const of of asked) {
    const ids = await listMappingIds(context.store.durable, of, { after: '', limit: left + 1 });
    const read = ids.slice(0, left);
    const values = await valuesOf(context, read, axis);
    const total = values.reduce((sum, value) => sum + value, 0);
    found.push({ values, total, isPartial: ids.length > left });
    left -= read.length;
  }
  return found;
}
