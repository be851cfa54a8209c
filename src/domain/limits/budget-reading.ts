import type { LimitsDeps } from './deps.ts';
import { sharedBudget } from './share-budget.ts';

/** The budget of a client at the new API, window by window, as the new API last reported it. */

/** One window of the budget at the moment of the question. */
export interface WindowReading {
  /** How many requests the client may send in the window. */
  limit: number;
  /** How many requests are left: the whole limit where the window has opened again since the report of the new API. */
  left: number;
  /** The length of the window in seconds. */
  seconds: number;
}

export interface BudgetReading {
  /** When the new API reported the budget, in Unix milliseconds. */
  saidAt: number;
  /** The shortest window first. */
  windows: WindowReading[];
}

/** The budget as this process knows it, without a request. Undefined where the new API has reported no window. */
export function budgetKnownHere(
  { sides, clock }: Pick<LimitsDeps, 'sides' | 'clock'>,
  modernClientId: string,
): BudgetReading | undefined {
  const { saidAt, windows } = sides.mainApiFor(modernClientId).budget();
  if (windows.length === 0) return undefined;
  const now = clock.now();
  const read = windows.map(({ limit, left, seconds, validMs }) => ({
    limit,
    left: now >= saidAt + validMs ? limit : Math.min(Math.max(left, 0), limit),
    seconds,
  }));
  return { saidAt, windows: read.toSorted((one, other) => one.seconds - other.seconds) };
}

/** The budget as all processes know it, for commands: a command has sent no requests of its own. */
export async function readBudget(
  context: Pick<LimitsDeps, 'sides' | 'clock' | 'store'>,
  modernClientId: string,
): Promise<BudgetReading | undefined> {
  context.sides.mainApiFor(modernClientId).learn(await sharedBudget(context, modernClientId));
  return budgetKnownHere(context, modernClientId);
}
