import { LRUCache } from 'lru-cache';
import { MINUTE } from '../../shared/lifetimes.ts';
import type { GrantClient } from '../ask-for-account.ts';
import type { Context } from '../context.ts';
import { BudgetSpent } from '../posts/budget-spent.ts';

/**
 * What calls about posts may take of a client's budget at the new API. Below a tenth reads give way to writes. Apps that
 * share the bridge's own client share its budget: an app may read while it has taken less than three times what is left, and
 * write while it has taken less than nine times that. An app alone gets three quarters for its reads and nine tenths for all,
 * two that only write get nine nineteenths each, and what is left is there for whoever comes next.
 */

const READS_END_BELOW = 0.1;
const READS_FOR_ONE_LEFT = 3;
const WRITES_FOR_ONE_LEFT = 9;

/** The shortest window of a budget; what counts while the new API has not said how long its tightest one is. */
const WINDOW = 15 * MINUTE;

const MOST_APPS = 10_000;

/** A read that was not sent, so that something is left for writes or for other apps. */
export class ReadGivesWay extends Error {
  override readonly name = 'ReadGivesWay';
  /** Milliseconds until more is left. */
  readonly retryAfter: number;
  constructor(retryAfter: number) {
    super('the rest of the budget is kept for writes and for other apps');
    this.retryAfter = retryAfter;
  }
}

/** What one app took in one window: its reads and its writes. */
interface Taken {
  count: number;
  until: number;
}

const memories = new WeakMap<Context, LRUCache<string, Taken>>();

function memoryOf(context: Context): LRUCache<string, Taken> {
  const memory = memories.get(context) ?? new LRUCache<string, Taken>({ max: MOST_APPS });
  memories.set(context, memory);
  return memory;
}

export interface Taker extends Pick<GrantClient, 'modernClientId'> {
  /** The app. */
  clientId: string;
}

function takenBy(context: Context, { modernClientId, clientId }: Taker): Taken {
  const [memory, key] = [memoryOf(context), `${modernClientId} ${clientId}`];
  const now = context.clock.now();
  const known = memory.get(key);
  if (known && known.until > now) return known;
  const { validUntil } = context.sides.mainApiFor(modernClientId).budget();
  const begun = { count: 0, until: validUntil > now ? validUntil : now + WINDOW };
  memory.set(key, begun);
  return begun;
}

/** Whether an app has taken so many times what is left. One with a client of its own shares with nobody. */
function hasItsShare({ server, sides }: Context, taker: Taker, { count, forOneLeft }: Share): boolean {
  const isShared = taker.modernClientId === server.clientId;
  return isShared && count >= forOneLeft * sides.mainApiFor(taker.modernClientId).remaining();
}

interface Share {
  count: number;
  forOneLeft: number;
}

/** Whether reads give way to writes now. */
function isLittleLeft({ sides }: Context, { modernClientId }: Pick<GrantClient, 'modernClientId'>): boolean {
  return sides.mainApiFor(modernClientId).remainingShare() < READS_END_BELOW;
}

/** Milliseconds until the tightest window opens again. */
function untilMore({ clock, sides }: Context, { modernClientId }: Taker): number {
  return Math.max(sides.mainApiFor(modernClientId).budget().validUntil - clock.now(), 1000);
}

/** Milliseconds for which the new API takes nothing of a client. */
function pauseOf({ clock, sides }: Context, { modernClientId }: Pick<Taker, 'modernClientId'>): number {
  return sides.mainApiFor(modernClientId).budget().pausedUntil - clock.now();
}

/**
 * Counts one read that is about to be sent; during a pause nothing is. Each process counts for itself; what is left is the
 * client's.
 * @throws {ReadGivesWay} it must not be sent
 */
export function takeRead(context: Context, taker: Taker): void {
  const taken = takenBy(context, taker);
  const share = { count: taken.count, forOneLeft: READS_FOR_ONE_LEFT };
  if (isLittleLeft(context, taker) || hasItsShare(context, taker, share))
    throw new ReadGivesWay(untilMore(context, taker));
  if (pauseOf(context, taker) <= 0) taken.count += 1;
}

/** @throws {BudgetSpent} nothing is left of a client's budget */
export function requireBudget(context: Context, client: Pick<Taker, 'modernClientId'>): void {
  const pause = pauseOf(context, client);
  if (pause > 0) throw new BudgetSpent('the main API asked to wait', pause);
}

/**
 * Whether an app may send so many requests one after the other, for a call that must not stop half-way. Nothing is counted.
 * @throws {BudgetSpent}
 */
export function requireWrites(context: Context, taker: Taker, count: number): void {
  requireBudget(context, taker);
  const left = context.sides.mainApiFor(taker.modernClientId).remaining() - (count - 1);
  const last = takenBy(context, taker).count + count - 1;
  const isOverShare = taker.modernClientId === context.server.clientId && last >= WRITES_FOR_ONE_LEFT * left;
  if (left < 1 || isOverShare)
    throw new BudgetSpent('what is left is too little for the whole call', untilMore(context, taker));
}

/**
 * Counts one write, or one read that a write needs, that is about to be sent.
 * @throws {BudgetSpent} it must not be sent
 */
export function takeWrite(context: Context, taker: Taker): void {
  requireBudget(context, taker);
  const taken = takenBy(context, taker);
  if (hasItsShare(context, taker, { count: taken.count, forOneLeft: WRITES_FOR_ONE_LEFT }))
    throw new BudgetSpent('the rest of the budget is kept for other apps', untilMore(context, taker));
  taken.count += 1;
}
