import type { BudgetReading, WindowReading } from '../limits/budget-reading.ts';
import { OLD_CALL_NAMES, type OldCallName } from '../old-calls/old-calls.ts';
import type { CountedDays } from '../usage/counted-days.ts';
import type { DayOfCalls, MovingCalls } from './moving-calls.ts';
import { ACCOUNT_READS_PER_DAY, callOfEndpoint, costOf } from './request-costs.ts';

/** Pure calculation: whether the budget of a client of the new API suffices for the calls that move. */

/** The calls of one kind on the busiest day, and their cost in requests. `account` are the reads of accounts. */
export interface KindNeed {
  call: OldCallName | 'other' | 'account';
  /** Undefined for reads of accounts, which are not calls. */
  calls: number | undefined;
  requests: number;
}

/** The requests that the moving calls need. */
export interface RequestNeed {
  /** The day with the highest cost, `YYYY-MM-DD`; undefined where no call was measured. */
  day: string | undefined;
  /** The calls and requests of this day. */
  calls: number;
  requests: number;
  kinds: KindNeed[];
  /** Average requests per day, counted from the first day with a call. */
  average: number;
}

/** The use of one window. */
export interface WindowNeed extends WindowReading {
  /** Requests that the client has sent in the window, as the new API last reported. */
  used: number;
  /** Requests that the moving calls add to the window. */
  added: number;
  /** Usable requests of the window. The last tenth is not usable, because reads stop there. */
  usable: number;
  suffices: boolean;
}

export interface Outlook
  extends Pick<MovingCalls, 'modernClientId' | 'tokens' | 'accounts' | 'apps' | 'withoutPosts'> {
  /** When accounts, tokens and calls were counted; undefined where the count was made now. */
  countedAt?: number;
  need: RequestNeed;
  /** When the new API reported the windows; undefined where the new API reported no windows. */
  saidAt: number | undefined;
  windows: WindowNeed[];
  /** Where some calls were not counted: what is known of the days. The need is a lower bound then. */
  counted?: CountedDays;
  /** `unknown`: no windows were reported, or the windows suffice for the counted calls while other calls were lost. */
  verdict: 'suffices' | 'short' | 'unknown';
}

const DAY_SECONDS = 86_400;

/** Calls come in waves, and usage is counted by day: a window shorter than a day gets three times its even share. */
const WAVE = 3;

const USABLE = 0.9;

function kindsOf(calls: readonly DayOfCalls[], accounts: number): KindNeed[] {
  const kinds = [...OLD_CALL_NAMES, 'other' as const].flatMap((call): KindNeed[] => {
    const of = calls.filter(({ endpoint }) => callOfEndpoint(endpoint) === call);
    const count = of.reduce((sum, one) => sum + one.calls, 0);
    const requests = of.reduce((sum, one) => sum + one.calls * costOf(one.endpoint), 0);
    return requests === 0 ? [] : [{ call, calls: count, requests }];
  });
  const all = kinds.reduce((sum, one) => sum + (one.calls ?? 0), 0);
  const readings = Math.min(all, accounts * ACCOUNT_READS_PER_DAY);
  return readings === 0 ? kinds : [...kinds, { call: 'account', calls: undefined, requests: readings }];
}

const sumOf = (kinds: readonly KindNeed[]) => kinds.reduce((sum, { requests }) => sum + requests, 0);

/** The need of the moving calls. `today` is the last measured day. */
export function needOf(moving: Pick<MovingCalls, 'calls' | 'accounts'>, today: string): RequestNeed {
  const { accounts } = moving;
  const calls = moving.calls.filter(({ endpoint }) => costOf(endpoint) > 0);
  const days = [...new Set(calls.map(({ day }) => day))].toSorted();
  const byDay = days.map((day) => {
    const kinds = kindsOf(
      calls.filter((one) => one.day === day),
      accounts,
    );
    return { day, kinds, requests: sumOf(kinds) };
  });
  const [busiest] = byDay.toSorted((one, other) => other.requests - one.requests);
  const total = byDay.reduce((sum, { requests }) => sum + requests, 0);
  const span = (Date.parse(today) - Date.parse(days[0] ?? today)) / (DAY_SECONDS * 1000) + 1;
  return {
    day: busiest?.day,
    calls: busiest?.kinds.reduce((sum, one) => sum + (one.calls ?? 0), 0) ?? 0,
    requests: busiest?.requests ?? 0,
    kinds: busiest?.kinds ?? [],
    average: total / Math.max(span, 1),
  };
}

/** The number of needed requests that fall into a window of this length. */
function addedTo({ requests, average }: RequestNeed, seconds: number): number {
  const days = seconds / DAY_SECONDS;
  if (days < 1) return Math.min(requests, Math.ceil(requests * days * WAVE));
  return Math.max(requests, Math.ceil(average * days));
}

function windowNeed(need: RequestNeed, window: WindowReading): WindowNeed {
  const { limit, left, seconds } = window;
  const [used, added, usable] = [limit - left, addedTo(need, seconds), Math.floor(limit * USABLE)];
  return { ...window, used, added, usable, suffices: added === 0 || used + added <= usable };
}

/** Compares the moving calls with the last reported budget of their client. */
export function reckon(moving: MovingCalls, reading: BudgetReading | undefined, today: string): Outlook {
  const { modernClientId, tokens, accounts, apps, withoutPosts } = moving;
  const need = needOf(moving, today);
  const windows = (reading?.windows ?? []).map((window) => windowNeed(need, window));
  const isEnough = windows.every(({ suffices }) => suffices);
  const verdict = windows.length === 0 ? 'unknown' : isEnough ? 'suffices' : 'short';
  const about = { modernClientId, tokens, accounts, apps, withoutPosts };
  return { ...about, need, saidAt: reading?.saidAt, windows, verdict };
}
