import { type HttpAnswer, retryAfterOf } from './http-client.ts';
import { type RateBudget, type BudgetWindow, budgetOf } from './rate-budget.ts';

/** One process's knowledge of a client's budget at the main API, from all answers together. */

/** The main API's last report of the client's budget. Times are Unix milliseconds, 0 before the first report. */
export interface KnownBudget {
  share: number;
  saidAt: number;
  validUntil: number;
  pausedUntil: number;
  /** Every window as of `saidAt`. */
  windows: readonly BudgetWindow[];
}

/** The present state of one window of the budget. */
export interface OpenWindow {
  /** The same in every answer. */
  name: string;
  /**
   * The name under which requests in this window are counted. It stays when the limit changes: a change of plan does
   * not undo what was sent in the window.
   */
  countedAs: string;
  /**
   * How many requests are left beside the requests under way; infinite when the window has opened again since the last
   * report.
   */
  left: number;
  /**
   * When the window opens again, in Unix milliseconds. If it has opened since the last report, the latest possible
   * time.
   */
  until: number;
}

/** The rest of a window from an answer, and the number of the answered request, because answers overtake each other. */
interface ReportedBudget {
  left: number;
  until: number;
  request: number;
}

/** An answer to an earlier request is out of date when it reports a larger rest. */
function newer(told: ReportedBudget, heard: ReportedBudget, now: number): ReportedBudget {
  const isOutOfDate = heard.request < told.request && heard.left > told.left && told.until > now;
  return isOutOfDate ? told : heard;
}

const NOTHING_TOLD: ReportedBudget = { left: Number.POSITIVE_INFINITY, until: 0, request: 0 };

/** Without a window length in the policy, the tightest window represents all. */
function windowsIn({ windows, left, validMs }: RateBudget): BudgetWindow[] {
  return windows.length > 0 ? [...windows] : [{ limit: 0, left, seconds: validMs / 1000, validMs }];
}

interface NamedWindow {
  name: string;
  countedAs: string;
  told: ReportedBudget;
  milliseconds: number;
}

/** Every window of a budget separately, from the newest answers. */
function createWindows(clock: { now(): number }) {
  const all = new Map<string, NamedWindow>();
  /** After a change of plan a window has another limit, and so another name. The newer limit replaces the older one. */
  const replaceOthers = (window: NamedWindow, request: number): NamedWindow | undefined => {
    const isOther = ({ name, milliseconds }: NamedWindow) =>
      name !== window.name && milliseconds === window.milliseconds;
    const others = [...all.values()].filter(isOther);
    if (others.some(({ told }) => told.request > request)) return undefined;
    const older = others.filter(({ told }) => told.request < request);
    for (const { name } of older) all.delete(name);
    return { ...window, countedAs: older[0]?.countedAs ?? window.countedAs };
  };
  return {
    obey(budget: RateBudget, request: number): void {
      const now = clock.now();
      for (const { limit, seconds, left, validMs } of windowsIn(budget)) {
        const name = limit > 0 ? `${limit} in ${seconds}` : '';
        const known = all.get(name);
        const told = newer(known?.told ?? NOTHING_TOLD, { left, until: now + validMs, request }, now);
        const window = { name, told, milliseconds: seconds * 1000, countedAs: known?.countedAs ?? name };
        const newest = replaceOthers(window, request);
        if (newest) all.set(name, newest);
      }
    },
    list(underWay: number): OpenWindow[] {
      const now = clock.now();
      return [...all.values()].map(({ name, countedAs, told, milliseconds }) =>
        told.until > now
          ? { name, countedAs, left: told.left - underWay, until: told.until }
          : { name, countedAs, left: Number.POSITIVE_INFINITY, until: now + milliseconds },
      );
    },
  };
}

/** The share that is left in a window, and when the window opens again. */
interface OpenShare {
  share: number;
  until: number;
}

/** The window with the smallest share, among windows that have not opened again since the last report. */
function tightestOf({ share, saidAt, validUntil, windows }: KnownBudget, now: number): OpenShare {
  const each = windows.map(({ left, limit, validMs }) => ({ share: left / limit, until: saidAt + validMs }));
  const open = [{ share, until: validUntil }, ...each].filter(({ until }) => until > now);
  const [tightest = { share: 1, until: now }] = open.toSorted((one, other) => one.share - other.share);
  return { ...tightest, share: Math.min(tightest.share, 1) };
}

/** The knowledge of a client's budget, from own answers or from other processes. */
export function createBudget(clock: { now(): number }) {
  let known: KnownBudget = { share: 1, saidAt: 0, validUntil: 0, pausedUntil: 0, windows: [] };
  const windows = createWindows(clock);
  let requests = 0;
  let underWay = 0;
  const obey = (answer: HttpAnswer, request: number): void => {
    const now = clock.now();
    const budget = budgetOf(answer);
    if (budget) {
      const { share, validMs } = budget;
      const { pausedUntil } = known;
      known = { share, saidAt: now, validUntil: now + validMs, pausedUntil, windows: budget.windows };
      windows.obey(budget, request);
    }
    const asked = answer.status === 429 ? (retryAfterOf(answer, now) ?? 1000) : 0;
    const wait = Math.max(asked, budget?.waitMs ?? 0);
    if (wait > 0) known = { ...known, pausedUntil: Math.max(known.pausedUntil, now + wait) };
  };
  return {
    remainingShare: () => tightestOf(known, clock.now()).share,
    reopensAt: () => tightestOf(known, clock.now()).until,
    windows: () => windows.list(underWay),
    budget: () => known,
    learn: (heard: KnownBudget): void => {
      const newest = heard.saidAt > known.saidAt ? heard : known;
      known = { ...newest, pausedUntil: Math.max(known.pausedUntil, heard.pausedUntil) };
    },
    /** Sends one request, counts the request while it is under way, and obeys the answer. */
    spend: async (ask: () => Promise<HttpAnswer>): Promise<HttpAnswer> => {
      const request = ++requests;
      underWay += 1;
      try {
        const answer = await ask();
        obey(answer, request);
        return answer;
      } finally {
        underWay -= 1;
      }
    },
  };
}
