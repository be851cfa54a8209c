import { BUDGET_ASKED_WITHIN, CLOCKS_DIFFER, REST_MAX } from '../shared/lifetimes.ts';
import { type HttpAnswer, retryAfterOf } from './http-client.ts';
import { type RateBudget, type BudgetWindow, budgetOf } from './rate-budget.ts';

/**
 * One process's knowledge of a client's budget at the main API, from all answers together.
 *
 * A window of thirty days may be spent long before its end, and the plan of the client may grow on the next day. Only an answer
 * tells of that. So nothing that was said forbids requests for longer than `REST_MAX`: then one request is sent, and the others
 * wait for its answer.
 */

/** The main API's last report of the client's budget. Times are Unix milliseconds, 0 before the first report. */
export interface KnownBudget {
  share: number;
  saidAt: number;
  validUntil: number;
  /** At most `REST_MAX` after the answer that asked for it. */
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
  /** When an answer last told of the window, in Unix milliseconds. */
  saidAt: number;
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
  saidAt: number;
  request: number;
}

/** An answer to an earlier request is out of date when it reports a larger rest. */
function newer(told: ReportedBudget, heard: ReportedBudget, now: number): ReportedBudget {
  const isOutOfDate = heard.request < told.request && heard.left > told.left && told.until > now;
  return isOutOfDate ? told : heard;
}

/** The same in every answer; empty where the report does not say how long the window is. */
export const nameOfWindow = ({ limit, seconds }: Pick<BudgetWindow, 'limit' | 'seconds'>): string =>
  limit > 0 ? `${limit} in ${seconds}` : '';

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
  /** A window that no answer has named for so long is none of the plan any more. */
  const dropUnnamed = (now: number): void => {
    for (const [name, { told }] of all) if (told.saidAt + REST_MAX <= now) all.delete(name);
  };
  return {
    obey(budget: RateBudget, request: number): void {
      const now = clock.now();
      for (const { limit, seconds, left, validMs } of windowsIn(budget)) {
        const name = nameOfWindow({ limit, seconds });
        const known = all.get(name);
        const heard = { left, until: now + validMs, saidAt: now, request };
        const told = known ? newer(known.told, heard, now) : heard;
        const window = {
          name,
          told,
          milliseconds: seconds * 1000,
          countedAs: known?.countedAs ?? name,
        };
        const newest = replaceOthers(window, request);
        if (newest) all.set(name, newest);
      }
      dropUnnamed(now);
    },
    list(underWay: number): OpenWindow[] {
      const now = clock.now();
      return [...all.values()].map(({ name, countedAs, told, milliseconds }) => {
        const { saidAt } = told;
        return told.until > now
          ? { name, countedAs, left: told.left - underWay, saidAt, until: told.until }
          : { name, countedAs, left: Number.POSITIVE_INFINITY, saidAt, until: now + milliseconds };
      });
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

/** The pause that an answer asks for, in milliseconds. */
function pauseIn(answer: HttpAnswer, budget: RateBudget | undefined, now: number): number {
  const asked = answer.status === 429 ? (retryAfterOf(answer, now) ?? 1000) : 0;
  return Math.min(Math.max(asked, budget?.waitMs ?? 0), REST_MAX);
}

/** A longer pause was stored by an earlier version, which waited for the end of the window. */
function pauseHeard({ pausedUntil, saidAt }: KnownBudget, now: number): number {
  const isTooLong = pausedUntil > now + REST_MAX + CLOCKS_DIFFER;
  return isTooLong ? Math.min(pausedUntil, saidAt + REST_MAX) : pausedUntil;
}

/** The turn of one request that asks again. */
function createTurn(clock: { now(): number }) {
  let endsAt = 0;
  return {
    endsAt: () => endsAt,
    /** False while another request has the turn. */
    take(): boolean {
      if (endsAt > clock.now()) return false;
      endsAt = clock.now() + BUDGET_ASKED_WITHIN;
      return true;
    },
    end(): void {
      endsAt = 0;
    },
  };
}

/** Who asks again: one request where nothing is left, and one that a share of the budget forbids. */
function createTurns(clock: { now(): number }, isSpent: () => boolean) {
  const [ofSpent, ofShares] = [createTurn(clock), createTurn(clock)];
  return {
    askFirst: (): void => {
      if (isSpent()) ofSpent.take();
    },
    takeTurn: () => ofShares.take(),
    /** Until when the others wait for the answer of the one that asks; 0 where they need not. */
    heldUntil: () => (isSpent() ? ofSpent.endsAt() : 0),
    end(): void {
      ofSpent.end();
      ofShares.end();
    },
  };
}

/** The knowledge of a client's budget, from own answers or from other processes. */
export function createBudget(clock: { now(): number }) {
  let known: KnownBudget = { share: 1, saidAt: 0, validUntil: 0, pausedUntil: 0, windows: [] };
  const windows = createWindows(clock);
  let requests = 0;
  let underWay = 0;
  const turns = createTurns(clock, () => tightestOf(known, clock.now()).share <= 0);
  const { askFirst, takeTurn } = turns;
  const obey = (answer: HttpAnswer, request: number): void => {
    const now = clock.now();
    const budget = budgetOf(answer);
    if (budget) {
      const { share, validMs } = budget;
      const { pausedUntil } = known;
      known = { share, saidAt: now, validUntil: now + validMs, pausedUntil, windows: budget.windows };
      windows.obey(budget, request);
      turns.end();
    }
    const wait = pauseIn(answer, budget, now);
    if (wait > 0) known = { ...known, pausedUntil: Math.max(known.pausedUntil, now + wait) };
  };
  return {
    remainingShare: () => tightestOf(known, clock.now()).share,
    reopensAt: () => tightestOf(known, clock.now()).until,
    windows: () => windows.list(underWay),
    budget: () => known,
    pausedUntil: () => Math.max(known.pausedUntil, turns.heldUntil()),
    askFirst,
    takeTurn,
    learn: (heard: KnownBudget): void => {
      const newest = heard.saidAt > known.saidAt ? heard : known;
      known = { ...newest, pausedUntil: Math.max(known.pausedUntil, pauseHeard(heard, clock.now())) };
    },
    /** Sends one request, counts the request while it is under way, and obeys the answer. */
    spend: async (ask: () => Promise<HttpAnswer>): Promise<HttpAnswer> => {
      const request = ++requests;
      underWay += 1;
      askFirst();
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
