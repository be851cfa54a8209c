import type { GrantClient } from '../grants/grant-client.ts';
import { Unavailable } from '../../upstream/outcomes.ts';
import type { Context } from '../context.ts';
import { BudgetSpent } from './budget-spent.ts';
import { countRequest, type Taker, windowsTakenBy } from './taken.ts';

/**
 * What calls about posts may take of a client's budget at the new API. Below a tenth reads give way to writes. Apps that
 * share the bridge's own client share its budget, in each window for itself. An app may read while it has taken less than
 * three times what is left, and write while it has taken less than nine times that. An app alone gets three quarters for its
 * reads and nine tenths for all; two apps that only write get nine nineteenths each. The rest is there for whoever comes next.
 */

const READS_END_BELOW = 0.1;
const READS_FOR_ONE_LEFT = 3;
const WRITES_FOR_ONE_LEFT = 9;

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

interface Share {
  forOneLeft: number;
  /** How many requests follow one another; one. */
  requests?: number;
}

/**
 * Milliseconds until an app may take so many times what is left again; 0 where it may now. One with a client of its own
 * shares with nobody.
 */
function waitForShare(context: Context, taker: Taker, { forOneLeft, requests = 1 }: Share): number {
  if (taker.modernClientId !== context.server.clientId) return 0;
  const more = requests - 1;
  const used = windowsTakenBy(context, taker).filter(
    ({ count, left }) => count + more >= forOneLeft * (left - more),
  );
  return Math.max(0, ...used.map(({ until }) => Math.max(until - context.clock.now(), 1000)));
}

/** Whether reads give way to writes now. */
function isLittleLeft({ sides }: Context, { modernClientId }: Pick<GrantClient, 'modernClientId'>): boolean {
  return sides.mainApiFor(modernClientId).remainingShare() < READS_END_BELOW;
}

/** Milliseconds until the tightest window opens again. */
function untilMore({ clock, sides }: Context, { modernClientId }: Taker): number {
  return Math.max(sides.mainApiFor(modernClientId).reopensAt() - clock.now(), 1000);
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
  if (isLittleLeft(context, taker)) throw new ReadGivesWay(untilMore(context, taker));
  const wait = waitForShare(context, taker, { forOneLeft: READS_FOR_ONE_LEFT });
  if (wait > 0) throw new ReadGivesWay(wait);
  if (pauseOf(context, taker) <= 0) countRequest(context, taker);
}

/** @throws {BudgetSpent} nothing is left of a client's budget */
export function requireBudget(context: Context, client: Pick<Taker, 'modernClientId'>): void {
  const pause = pauseOf(context, client);
  if (pause > 0) throw new BudgetSpent('the main API asked to wait', pause);
}

/**
 * Why a write was not sent. While the new API takes nothing of its client, that is why, whatever could not be read for the
 * write before.
 */
export function whyUnsent(
  context: Context,
  client: Pick<Taker, 'modernClientId'>,
  failure: unknown,
): unknown {
  const pause = pauseOf(context, client);
  return failure instanceof Unavailable && pause > 0
    ? new BudgetSpent('the main API asked to wait', pause)
    : failure;
}

/**
 * Whether an app may send so many requests one after the other, for a call that must not stop half-way. Nothing is counted.
 * @throws {BudgetSpent}
 */
export function requireWrites(context: Context, taker: Taker, requests: number): void {
  requireBudget(context, taker);
  const windows = context.sides.mainApiFor(taker.modernClientId).windows();
  const small = windows.filter(({ left }) => left < requests);
  const waits = small.map(({ until }) => Math.max(until - context.clock.now(), 1000));
  const wait = waitForShare(context, taker, { forOneLeft: WRITES_FOR_ONE_LEFT, requests });
  const longest = Math.max(wait, ...waits);
  if (longest > 0) throw new BudgetSpent('what is left is too little for the whole call', longest);
}

/**
 * Counts one write, or one read that a write needs, that is about to be sent.
 * @throws {BudgetSpent} it must not be sent
 */
export function takeWrite(context: Context, taker: Taker): void {
  requireBudget(context, taker);
  const wait = waitForShare(context, taker, { forOneLeft: WRITES_FOR_ONE_LEFT });
  if (wait > 0) throw new BudgetSpent('the rest of the budget is kept for other apps', wait);
  countRequest(context, taker);
}
