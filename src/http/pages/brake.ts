import { setTimeout as delay } from 'node:timers/promises';
import type { Request, RequestHandler, Response } from 'express';
import type { PagesDeps } from './deps.ts';
import { senderOf } from '../../shared/net/addresses.ts';
import { SECOND } from '../../shared/lifetimes.ts';
import { PageError } from './page-error.ts';
import { createPace, type Pace } from './pace.ts';

/**
 * Limits for pages that anybody may request. All processes count requests together, by network address. Many honest
 * people share one address, so the limits are far above the use of one person. Other limits bound what one request may
 * leave behind.
 */

export interface Limit {
  /** What is counted. Each limit counts by itself. */
  what: string;
  perMinute: number;
}

/** The refusal of a request above a limit. `secondsLeft` is in whole seconds. */
export function tooManyRequests(secondsLeft: number, from: 'network' | 'account' = 'network'): PageError {
  return new PageError(429, 'Too many requests', {
    reason: `Very many requests came from your ${from} within a minute.`,
    next: `Wait ${secondsLeft} seconds, then try again.`,
    retryAfter: secondsLeft,
  });
}

const keyOf = ({ what }: Limit, req: Request) => [what, senderOf(req.ip ?? '')];

/** How many refused requests may wait for their answer at the same time in this process. */
const HELD_AT_ONCE = 100;
const HELD_FOR = 1 * SECOND;

let held = 0;

/**
 * Makes a sender that ignores its refusals wait for each refusal, so that the sender takes little of the process. There
 * are few places: without a free place the request is answered at once, and its connection ends.
 */
async function holdBack({ res }: Request): Promise<void> {
  if (held >= HELD_AT_ONCE) return void res?.setHeader('Connection', 'close');
  held += 1;
  try {
    await delay(HELD_FOR);
  } finally {
    held -= 1;
  }
}

/** Whether an address has used up a limit. */
export const isUsedUp = ({ counts }: PagesDeps, limit: Limit, req: Request): boolean =>
  counts.look(keyOf(limit, req)).points >= limit.perMinute;

/** @throws {PageError} 429, held back for a while */
async function refuse(context: PagesDeps, limit: Limit, req: Request): Promise<never> {
  const { secondsLeft } = context.counts.look(keyOf(limit, req));
  await holdBack(req);
  throw tooManyRequests(secondsLeft);
}

/** Counts a request. @throws {PageError} 429, held back for a while, where the request is above the limit */
export async function countPageRequest(context: PagesDeps, limit: Limit, req: Request): Promise<void> {
  if (isUsedUp(context, limit, req)) return refuse(context, limit, req);
  context.counts.count(keyOf(limit, req));
}

/** A request and its answer. */
export interface HttpExchange {
  req: Request;
  res: Response;
}

/**
 * Waits for the turn of a request. False where the caller is gone.
 * @throws {PageError} 429 where the request would wait too long
 */
async function comesToItsTurn(pace: Pace, { req, res }: HttpExchange): Promise<boolean> {
  const turn = await pace.turnOf(senderOf(req.ip ?? ''), res);
  if (turn.kind === 'now' || turn.kind === 'gone') return turn.kind === 'now';
  if (turn.kind === 'full') res.setHeader('Connection', 'close');
  else await holdBack(req);
  throw tooManyRequests(Math.ceil(turn.wait / SECOND));
}

/** Requests per second of one sender under one limit. Faster requests wait for their turn. */
const PER_SECOND = 20;

/** Enough for a page, the files that it loads, and some neighbours at the same address. */
const AHEAD = 0.5 * SECOND;

/** Refuses requests above the limit, delays requests that come too fast, and counts the requests that pass. */
export function brake(context: PagesDeps, limit: Limit): RequestHandler {
  const pace = createPace({ perSecond: PER_SECOND, ahead: AHEAD, stopping: context.shutdown.signal });
  return async (req, res, next) => {
    if (isUsedUp(context, limit, req)) return refuse(context, limit, req);
    if (!(await comesToItsTurn(pace, { req, res }))) return;
    await countPageRequest(context, limit, req);
    next();
  };
}

/** Slows work down for addresses whose work failed too often. Neighbours at the same address lose nothing but time. */
export interface FailureBrake {
  /**
   * Does the work of a request when its turn comes; undefined where the caller is gone.
   * @throws {PageError} 429 where the request would wait too long
   */
  run<T>(exchange: HttpExchange, work: () => Promise<T>): Promise<T | undefined>;
  /** Counts one more failure for the address of the request. */
  countFailure(req: Request): void;
}

/** Counts the work under way by sender. */
function createWorkUnderWay() {
  const numbers = new Map<string, number>();
  return {
    of: (sender: string) => numbers.get(sender) ?? 0,
    async run<T>(sender: string, work: () => Promise<T>): Promise<T> {
      numbers.set(sender, (numbers.get(sender) ?? 0) + 1);
      try {
        return await work();
      } finally {
        const left = (numbers.get(sender) ?? 1) - 1;
        if (left > 0) numbers.set(sender, left);
        else numbers.delete(sender);
      }
    },
  };
}

/** A limit of failures. */
interface FailureLimit extends Limit {
  /** So much work under way is not taken for failures, where most work does well; 0 by default. */
  freeAtOnce?: number;
}

/**
 * Above the limit of failures an address gets one turn in a second. Work under way may fail too, so it counts as a
 * failure until it ends, all but what is free: otherwise a burst of parallel requests of any size would pass.
 */
export function createFailureBrake(context: PagesDeps, limit: FailureLimit): FailureBrake {
  const { perMinute, freeAtOnce = 0 } = limit;
  const pace = createPace({ perSecond: 1, ahead: 0, stopping: context.shutdown.signal });
  const underWay = createWorkUnderWay();
  return {
    async run(exchange, work) {
      const sender = senderOf(exchange.req.ip ?? '');
      const { points } = context.counts.look(keyOf(limit, exchange.req));
      const isSlow = points + Math.max(0, underWay.of(sender) - freeAtOnce) >= perMinute;
      if (isSlow && !(await comesToItsTurn(pace, exchange))) return undefined;
      return underWay.run(sender, work);
    },
    countFailure: (req) => void context.counts.count(keyOf(limit, req)),
  };
}
