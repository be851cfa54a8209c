import type { Cut } from './bridge-machine.ts';
import type { Round } from './plan.ts';

/** What is seen of a chaos from the side of its callers. */

/** How the grants of a token's app stood when a call with it was told to come again, or was refused. */
export interface Standing {
  /** The present grant is `presenting` or `in_doubt`, and since when. */
  presentedAt: number | undefined;
  /** No grant of the app lives, or none did at some moment of the call. */
  isDead: boolean;
  /** Refreshing is held back for the whole fleet: answers were lost in a row, or many grants died. */
  isHeldBack: boolean;
}

export interface Interval {
  from: number;
  until: number;
}

/** What a call may be made for. A 429 and a 5xx are never good: the judge asks why they came (judge/call-verdicts.ts). */
export type GoodStatus = 200 | 400 | 401;

/** What a call with a token is that neither the bridges nor the old API know. */
export const UNKNOWN_TOKEN = 'unknown token';

/** A call of an old program, by its number. */
export interface SentCall {
  id: string;
  what: string;
  /** Of the caller. */
  address: string;
  startedAt: number;
  endedAt: number;
  /** Unset when no whole answer came; then `failure` says why. */
  status?: number;
  failure?: string;
  /** Whether it is a 503 of a bridge that says when to come again. */
  isAgain: boolean;
  expected: readonly GoodStatus[];
  /** Of an answer that was not expected. */
  text?: string;
  standing?: Standing;
}

/** What a person did over several pages. */
export interface Walk {
  id: string;
  what: string;
  startedAt: number;
  endedAt: number;
  /** Why it broke off. */
  failure?: string;
}

/** A time in which calls may be told to come again: the database or the new API was away, until all were served. */
export interface Trouble extends Interval {
  of: 'database' | 'new API';
}

export interface Violation {
  round: number;
  rule: string;
  text: string;
}

/** What is known so far. */
export interface ChaosRecord {
  calls: SentCall[];
  walks: Walk[];
  cuts: Cut[];
  troubles: Trouble[];
  /** While the machine kept processes from running. */
  starved: Interval[];
  /**
   * Ends of stops that the balancer had not noticed by then, because its checks came later than the drain bears, or during
   * which it took the other bridge for away too, because the machine kept that one from answering.
   */
  unnoticed: Cut[];
  violations: Violation[];
}

/** What one round did and cost. */
export interface RoundResult extends Round {
  seconds: number;
  calls: number;
  pages: number;
  /** On a connection that was killed, by calls and requests of pages. */
  cut: number;
  /** Told to come again while something was away, or while the grant was in doubt after a kill. */
  again: number;
  /** Told to come again because the machine kept the new API or a bridge from running. */
  starved: number;
  /** Unknown tokens of an address that the bridges hold back. */
  braked: number;
  /** Failed, or told to come again, without such a cause. */
  failed: number;
  refreshes: number;
  consents: number;
  inDoubt: number;
  /** Megabytes of the bridges, the balancer and the new API together, and of what stands in the folders of the bridges. */
  memory: number;
  disk: number;
}
