import { callersOf } from '../usage/callers.ts';
import { callDaysOf, lastDays, totalsOf } from '../usage/calls-per-day.ts';
import type { Context } from '../context.ts';

/** The calls of all apps of one list are read of so many tokens; a page that is opened has no time for more. */
const TOKENS_READ = 5000;

/** Of one app not more than this, and for what is left nothing is asked for one by one. */
const TOKENS_OF_ONE = 2000;

export interface CallsLately {
  /** One for each day, the oldest first. */
  values: number[];
  total: number;
  /** Whether there may have been more calls. */
  isPartial: boolean;
}

type Tokens = { clientId: string; accountId?: string };

/**
 * How often each of these apps, or the tokens that an account has of it, called in the last `days`, in their order. An app
 * that comes after very many tokens is told by the calls that are kept of it; the tokens of an account that do are partial.
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
    const most = of.accountId === undefined ? Math.min(left, TOKENS_OF_ONE) : left;
    const { who, isPartial } = await callersOf(context, of, most);
    const values = totalsOf(axis, await callDaysOf(context, who, { days }));
    const total = values.reduce((sum, value) => sum + value, 0);
    found.push({ values, total, isPartial: isPartial(days) });
    left -= 'clientId' in who ? 0 : who.length;
  }
  return found;
}
