import { callersOf } from '../usage/callers.ts';
import type { CountedDays } from '../usage/counted-days.ts';
import { callDaysOf, lastDays, totalsOf } from '../usage/calls-per-day.ts';
import type { ProgressDeps } from './deps.ts';

/** The most tokens whose calls are read for one list of apps; a page that is opened has no time for more. */
const TOKENS_READ = 5000;

/**
 * The most tokens of one app whose calls are read token by token. For an app with more tokens, the calls that are kept
 * for the whole app are read.
 */
const TOKENS_OF_ONE = 2000;

export interface CallsLately {
  /** One number for each day, the oldest first. */
  values: number[];
  total: number;
  /** What is known of these days. */
  counted: CountedDays;
}

interface CallsLatelyQuery {
  days: number;
  /** Whether only the calls that are kept for whole apps are read: a long list has no time for those of each token. */
  isBySums?: boolean;
}

type TokenGroup = { clientId: string; accountId?: string };

/**
 * How often each of these apps, or the tokens of one account at the app, called in the last `days`; in the order of
 * `asked`. When earlier tokens have used up `TOKENS_READ`, an app is told by the calls that are kept for the whole app.
 * The calls of an account are partial then.
 */
export async function callsLately(
  context: ProgressDeps,
  asked: readonly TokenGroup[],
  { days, isBySums = false }: CallsLatelyQuery,
): Promise<CallsLately[]> {
  const axis = lastDays(context, days);
  const found: CallsLately[] = [];
  let left = TOKENS_READ;
  for (const of of asked) {
    const mostOfOne = isBySums ? 0 : TOKENS_OF_ONE;
    const most = of.accountId === undefined ? Math.min(left, mostOfOne) : left;
    const { who, within } = await callersOf(context, of, most);
    const values = totalsOf(axis, await callDaysOf(context, who, { days }));
    const total = values.reduce((sum, value) => sum + value, 0);
    found.push({ values, total, counted: within(days) });
    left -= 'clientId' in who ? 0 : who.length;
  }
  return found;
}
