import { listMappingIds } from '../../store/usage-days.ts';
import { callDaysOf, lastDays, totalsOf } from '../calls-per-day.ts';
import type { Context } from '../context.ts';

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
    const values = totalsOf(axis, await callDaysOf(context, read, { days }));
    const total = values.reduce((sum, value) => sum + value, 0);
    found.push({ values, total, isPartial: ids.length > left });
    left -= read.length;
  }
  return found;
}
