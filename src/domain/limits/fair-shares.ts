import { REST_MAX } from '../../shared/lifetimes.ts';
import type { GrantClient } from '../grants/grant-client.ts';
import type { OpenWindow } from '../../upstream/known-budget.ts';
import { NotSent, Unavailable } from '../../upstream/outcomes.ts';
import type { LimitsDeps } from './deps.ts';
import { BudgetSpent } from './budget-spent.ts';
import { LimitReached } from './limit-reached.ts';
import { countAppRequest, type BudgetApp, windowsTakenBy } from './taken.ts';
import { LITTLE_LEFT, tellLowBudget } from './tell-low-budget.ts';

/**
 * The shares of a client's budget at the new API. Below a tenth of the budget, reads give way to writes; a reading of an
 * account or of boards counts as a read where an earlier answer is known, else as a write (`takeNeededRead`). Apps that
 * share the bridge's own client share its budget, separately in each window. An app may read while it has used less than
 * three times the requests that are left, and write while it has used less than nine times the requests that are left. An
 * app alone thus gets three quarters for its reads and nine tenths for all requests; two apps that only write get nine
 * nineteenths each. The rest is kept for the next app.
 */

const READS_FOR_ONE_LEFT = 3;
const WRITES_FOR_ONE_LEFT = 9;

/** Counts a request that is about to be sent, or refuses it. @throws {LimitReached | NotSent} */
export type ShareTaker = (context: LimitsDeps, taker: BudgetApp) => void;

/** The refusal of a read, to leave budget for writes or for other apps. */
function readGivesWay(retryAfter: number): LimitReached {
  return new LimitReached('the rest of the budget is kept for writes and for other apps', retryAfter);
}

interface Share {
  forOneLeft: number;
  /** How many requests the call sends one after the other; 1 by default. */
  requests?: number;
}

/** A limit that the new API told at a time, and that holds until another time. */
type BudgetLimit = Pick<OpenWindow, 'saidAt' | 'until'>;

/**
 * The windows that forbid an app to send, where an app may send `forOneLeft` requests for each request that is left. An app with a
 * client of its own shares with no other app and never waits here.
 */
function overShare(
  context: LimitsDeps,
  taker: BudgetApp,
  { forOneLeft, requests = 1 }: Share,
): BudgetLimit[] {
  if (taker.modernClientId !== context.server.clientId) return [];
  const more = requests - 1;
  return windowsTakenBy(context, taker).filter(
    ({ count, left }) => count + more >= forOneLeft * (left - more),
  );
}

/** What makes reads give way to writes. */
function littleLeft(
  context: LimitsDeps,
  { modernClientId }: Pick<GrantClient, 'modernClientId'>,
): BudgetLimit[] {
  const mainApi = context.sides.mainApiFor(modernClientId);
  if (mainApi.remainingShare() >= LITTLE_LEFT) return [];
  tellLowBudget(context, { modernClientId });
  return [{ saidAt: mainApi.budget().saidAt, until: mainApi.reopensAt() }];
}

/** How long requests are forbidden: at most until it is time to ask again. In milliseconds. */
function longestWait({ clock }: LimitsDeps, limits: readonly BudgetLimit[]): number {
  const ends = limits.map(({ saidAt, until }) => Math.min(until, saidAt + REST_MAX));
  return Math.max(0, ...ends.map((end) => Math.max(end - clock.now(), 1000)));
}

/**
 * Milliseconds until a request may be sent; 0 where it may be sent now. What was said too long ago forbids all requests but one:
 * more may be left by now, and only an answer tells of it.
 */
function waitFor(context: LimitsDeps, taker: BudgetApp, limits: readonly BudgetLimit[]): number {
  const wait = longestWait(context, limits);
  const isOld = limits.every(({ saidAt }) => saidAt + REST_MAX <= context.clock.now());
  // During a pause nothing is sent, and the turn would be lost.
  const mayAsk = isOld && pauseOf(context, taker) <= 0;
  const asksAgain = wait > 0 && mayAsk && context.sides.mainApiFor(taker.modernClientId).takeTurn();
  return asksAgain ? 0 : wait;
}

/** Milliseconds for which the new API accepts no request of a client. */
function pauseOf(
  { clock, sides }: LimitsDeps,
  { modernClientId }: Pick<BudgetApp, 'modernClientId'>,
): number {
  return sides.mainApiFor(modernClientId).pausedUntil() - clock.now();
}

/**
 * Counts one read that is about to be sent. During a pause nothing is sent, so nothing is counted. Each process counts
 * its own reads; the requests that are left are those of the whole client.
 * @throws {LimitReached} the read must not be sent
 */
export function takeRead(context: LimitsDeps, taker: BudgetApp): void {
  const limits = [
    ...littleLeft(context, taker),
    ...overShare(context, taker, { forOneLeft: READS_FOR_ONE_LEFT }),
  ];
  const wait = waitFor(context, taker, limits);
  if (wait > 0) throw readGivesWay(wait);
  if (pauseOf(context, taker) <= 0) countAppRequest(context, taker);
}

/**
 * Counts one reading of an account or of boards of which no earlier answer is known. Such a reading may use what writes
 * may, so that a flood of them leaves the rest to other apps. Over its share the app gets 503, as while the new API is
 * away: 429 is for an app that calls too often.
 * @throws {NotSent}
 */
export function takeNeededRead(context: LimitsDeps, taker: BudgetApp): void {
  tellLowBudget(context, taker);
  const wait = waitFor(context, taker, overShare(context, taker, { forOneLeft: WRITES_FOR_ONE_LEFT }));
  if (wait > 0) throw new NotSent('the rest of the budget is kept for other apps', { retryAfter: wait });
  if (pauseOf(context, taker) <= 0) countAppRequest(context, taker);
}

/** @throws {BudgetSpent} the new API accepts no request of the client until the end of a pause */
export function requireBudget(context: LimitsDeps, client: Pick<BudgetApp, 'modernClientId'>): void {
  const pause = pauseOf(context, client);
  if (pause > 0) throw new BudgetSpent('the main API asked to wait', pause);
}

/**
 * The reason why a write was not sent. During a pause of the client the pause is the reason, even where another read
 * for the write failed first.
 */
export function whyUnsent(
  context: LimitsDeps,
  client: Pick<BudgetApp, 'modernClientId'>,
  failure: unknown,
): unknown {
  const pause = pauseOf(context, client);
  const isOfNewApi = failure instanceof Unavailable || failure instanceof BudgetSpent;
  return isOfNewApi && pause > 0 ? new BudgetSpent('the main API asked to wait', pause) : failure;
}

/**
 * Checks that an app may send a number of requests one after the other, for a call that must not stop half-way. Counts
 * nothing.
 * @throws {BudgetSpent} the client is in a pause, or the budget is too small for the whole call
 */
export function requireWrites(context: LimitsDeps, taker: BudgetApp, requests: number): void {
  requireBudget(context, taker);
  const windows = context.sides.mainApiFor(taker.modernClientId).windows();
  const small = windows.filter(({ left }) => left < requests);
  const over = overShare(context, taker, { forOneLeft: WRITES_FOR_ONE_LEFT, requests });
  const longest = longestWait(context, [...small, ...over]);
  if (longest > 0) throw new BudgetSpent('what is left is too little for the whole call', longest);
}

/**
 * Counts one write, or one read that a write needs, that is about to be sent.
 * @throws {BudgetSpent} the request must not be sent
 */
export function takeWrite(context: LimitsDeps, taker: BudgetApp): void {
  tellLowBudget(context, taker);
  requireBudget(context, taker);
  const wait = waitFor(context, taker, overShare(context, taker, { forOneLeft: WRITES_FOR_ONE_LEFT }));
  if (wait > 0) throw new BudgetSpent('the rest of the budget is kept for other apps', wait);
  countAppRequest(context, taker);
}
