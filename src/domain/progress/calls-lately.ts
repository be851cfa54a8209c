import { callersOf } from '../usage/callers.ts';
import type { CountedDays } from '../usage/counted-days.ts';
import { type CallsByApp, callsByAppOf } from '../usage/account-calls.ts';
import { callsOfApps } from '../usage/calls-of-apps.ts';
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

const sumOf = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0);

/**
 * How often each of these apps called in the last `days`, in the order of `apps`. When earlier tokens have used up
 * `TOKENS_READ`, an app is told by the calls that are kept for the whole app.
 */
export async function callsLately(
  context: ProgressDeps,
  apps: ReadonlyArray<{ clientId: string }>,
  { days }: { days: number },
): Promise<CallsLately[]> {
  const axis = lastDays(context, days);
  const found: CallsLately[] = [];
  let left = TOKENS_READ;
  for (const { clientId } of apps) {
    const { who, within } = await callersOf(context, { clientId }, Math.min(left, TOKENS_OF_ONE));
    const values = totalsOf(axis, await callDaysOf(context, who, { days }));
    found.push({ values, total: sumOf(values), counted: within(days) });
    left -= 'clientId' in who ? 0 : who.length;
  }
  return found;
}

interface ListedApps {
  clientIds: readonly string[];
  days: number;
}

function eachOf(context: ProgressDeps, { clientIds, days }: ListedApps, { callsOf, within }: CallsByApp) {
  const axis = lastDays(context, days);
  return clientIds.map((clientId) => {
    const values = totalsOf(axis, callsOf(clientId));
    return { values, total: sumOf(values), counted: within(clientId) };
  });
}

/** The same for a long list, by the calls that are kept for whole apps, which are read at once. */
export async function callsOfAppsLately(
  context: ProgressDeps,
  apps: ReadonlyArray<{ clientId: string }>,
  { days }: { days: number },
): Promise<CallsLately[]> {
  const clientIds = apps.map(({ clientId }) => clientId);
  return eachOf(context, { clientIds, days }, await callsOfApps(context, clientIds, { days }));
}

/**
 * How often the tokens of an account called in the last `days`, for each of these apps in their order. The tokens
 * of all these apps are read together, up to `TOKENS_READ`; the calls of the apps beyond are partial.
 */
export async function accountCallsLately(
  context: ProgressDeps,
  of: { accountId: string; clientIds: readonly string[] },
  { days }: { days: number },
): Promise<CallsLately[]> {
  const { clientIds } = of;
  return eachOf(context, { clientIds, days }, await callsByAppOf(context, of, { days, most: TOKENS_READ }));
}
