import { LRUCache } from 'lru-cache';
import type { OpenWindow } from '../../upstream/known-budget.ts';
import type { GrantClient } from '../grants/grant-client.ts';
import type { LimitsDeps } from './deps.ts';
import { madeOnce } from '../../shared/memory/made-once.ts';

/**
 * How many requests each app has sent in each window of a client's budget. The count of one window says nothing about
 * another window, nor about the same window after it has opened again. Each process counts its own requests and starts
 * at zero.
 */

const MOST_APPS = 10_000;

export interface BudgetApp extends Pick<GrantClient, 'modernClientId'> {
  /** The client id of the app. */
  clientId: string;
}

/** The requests of one app in one window, reads and writes together. */
interface WindowCount {
  count: number;
  until: number;
}

/** By the name under which a window is counted. */
type WindowCounts = Map<string, WindowCount>;

const memories = new WeakMap<LimitsDeps, LRUCache<string, WindowCounts>>();

function memoryOf(context: LimitsDeps): LRUCache<string, WindowCounts> {
  return madeOnce(memories, context, () => new LRUCache<string, WindowCounts>({ max: MOST_APPS }));
}

/** The client and the app in a key. The id of an app has no space. */
function partsOf(key: string): [modernClientId: string, clientId: string] {
  const at = key.lastIndexOf(' ');
  return [key.slice(0, at), key.slice(at + 1)];
}

function windowsOf(context: LimitsDeps, { modernClientId, clientId }: BudgetApp): WindowCounts {
  const [memory, key] = [memoryOf(context), `${modernClientId} ${clientId}`];
  const windows = memory.get(key) ?? new Map<string, WindowCount>();
  memory.set(key, windows);
  return windows;
}

/**
 * The end of a window that has just opened becomes known with the next report of the new API, and is then earlier than
 * assumed here.
 */
function takenIn(windows: WindowCounts, { countedAs, until }: OpenWindow, now: number): WindowCount {
  const known = windows.get(countedAs);
  const taken =
    known && known.until > now
      ? { count: known.count, until: Math.min(known.until, until) }
      : { count: 0, until };
  windows.set(countedAs, taken);
  return taken;
}

/**
 * Every window of the client's budget that this process has a report of, with the number of requests of the app in the
 * window.
 */
export function windowsTakenBy(context: LimitsDeps, taker: BudgetApp): Array<OpenWindow & { count: number }> {
  const [windows, now] = [windowsOf(context, taker), context.clock.now()];
  return context.sides
    .mainApiFor(taker.modernClientId)
    .windows()
    .map((window) => {
      const { name, countedAs, left, saidAt, until } = window;
      return { name, countedAs, left, saidAt, until, count: takenIn(windows, window, now).count };
    });
}

/** Counts a request that is about to be sent. */
export function countAppRequest(context: LimitsDeps, taker: BudgetApp): void {
  const [windows, now] = [windowsOf(context, taker), context.clock.now()];
  for (const window of context.sides.mainApiFor(taker.modernClientId).windows())
    takenIn(windows, window, now).count += 1;
}

/** The app that has sent most of the requests of a client in a window, by this process; undefined where none was sent. */
export function mostIn(
  context: LimitsDeps,
  modernClientId: string,
  { countedAs }: Pick<OpenWindow, 'countedAs'>,
): { clientId: string; requests: number } | undefined {
  const now = context.clock.now();
  const counts = [...memoryOf(context)].flatMap(([key, windows]) => {
    const taken = windows.get(countedAs);
    const [client, clientId] = partsOf(key);
    return client === modernClientId && taken && taken.count > 0 && taken.until > now
      ? [{ clientId, requests: taken.count }]
      : [];
  });
  return counts.toSorted((one, other) => other.requests - one.requests)[0];
}
