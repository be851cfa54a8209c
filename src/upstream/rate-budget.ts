import { parseList } from 'structured-headers';
import { DAY } from '../shared/lifetimes.ts';
import type { HttpAnswer } from './http-client.ts';

/** No window of a budget is longer. */
export const LONGEST_WINDOW = 30 * DAY;

/** One window of a client's budget, from `RateLimit` and `RateLimit-Policy`. */
export interface BudgetWindow {
  /** How many requests the client may send in the window. */
  limit: number;
  left: number;
  /** The length of the window in seconds. */
  seconds: number;
  /** Milliseconds until the window opens again. */
  validMs: number;
}

/** The rest of a client's budget, from the headers of an answer. */
export interface RateBudget {
  /** The smallest remaining share over all windows, 0 to 1. */
  share: number;
  /** How many requests are left in the window with the smallest share. */
  left: number;
  /** Milliseconds until a used-up window opens again; 0 when no window is used up. */
  waitMs: number;
  /** Milliseconds until the tightest window opens again and the share is out of date. */
  validMs: number;
  /** Every window with a length in the policy. */
  windows: BudgetWindow[];
}

interface HeaderWindow {
  name: string;
  numbers: Map<string, number>;
}

/** Parses a structured list (RFC 9651) such as `"100-in-15min";r=98;t=897`. A malformed header says nothing. */
function windowsOf(header: string | undefined): HeaderWindow[] {
  try {
    return parseList(header ?? '').map(([name, parameters]) => ({
      name: String(name),
      numbers: new Map(
        [...parameters].flatMap(([key, value]) => (typeof value === 'number' ? [[key, value]] : [])),
      ),
    }));
  } catch {
    return [];
  }
}

type HeaderNumbers = ReadonlyMap<string, HeaderWindow['numbers']>;

/** The last policy: a server tells the same one with every answer, until the plan of its client changes. */
let lastPolicy: { text: string | undefined; numbers: HeaderNumbers } = {
  text: undefined,
  numbers: new Map(),
};

function policiesIn(text: string | undefined): HeaderNumbers {
  if (text !== lastPolicy.text)
    lastPolicy = { text, numbers: new Map(windowsOf(text).map(({ name, numbers }) => [name, numbers])) };
  return lastPolicy.numbers;
}

/** A window with its remaining share; `seconds` is undefined when the policy has no length. */
type WindowReport = Omit<BudgetWindow, 'seconds'> & { share: number; seconds: number | undefined };

const isMeasured = (window: WindowReport): window is WindowReport & BudgetWindow =>
  window.seconds !== undefined && window.seconds > 0;

/** A window opens again after its own length at the latest: a later reset is a moment, or counts milliseconds. */
function untilReset(reset: number, seconds: number): number {
  return Math.min(Math.ceil(reset * 1000), seconds > 0 ? seconds * 1000 : LONGEST_WINDOW, LONGEST_WINDOW);
}

/** Reads `RateLimit` (r left, t seconds to the reset) against `RateLimit-Policy` (q quota, w seconds). */
function readWindows({ headers }: HttpAnswer): WindowReport[] {
  const policies = policiesIn(headers['ratelimit-policy']);
  return windowsOf(headers['ratelimit']).flatMap(({ name, numbers }) => {
    const policy = policies.get(name);
    const limit = policy?.get('q') ?? Number(/\d+/.exec(name)?.[0]);
    const left = numbers.get('r');
    if (left === undefined || !(limit > 0)) return [];
    const seconds = policy?.get('w');
    const validMs = untilReset(numbers.get('t') ?? 0, seconds ?? 0);
    return [{ share: Math.min(left / limit, 1), left, limit, validMs, seconds }];
  });
}

/** The budget in an answer; undefined without these headers. */
export function budgetOf(answer: HttpAnswer): RateBudget | undefined {
  const windows = readWindows(answer);
  const [tightest] = windows.toSorted((a, b) => a.share - b.share);
  if (!tightest) return undefined;
  const { share, left, validMs } = tightest;
  return {
    share,
    left,
    validMs,
    waitMs: Math.max(...windows.map((window) => (window.left <= 0 ? window.validMs : 0))),
    windows: windows.filter(isMeasured).map(({ limit, left: some, seconds, validMs: until }) => ({
      limit,
      left: some,
      seconds,
      validMs: until,
    })),
  };
}
