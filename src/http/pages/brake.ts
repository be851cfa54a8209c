import { setTimeout as delay } from 'node:timers/promises';
import type { Request, RequestHandler, Response } from 'express';
import type { Context } from '../../domain/context.ts';
import { addressKey, networkKey } from '../../shared/net/addresses.ts';
import { SECOND } from '../../shared/lifetimes.ts';
import { PageError } from './page-error.ts';
import { createPace, type Pace } from './pace.ts';

/**
 * Limits for pages that anybody may ask for. Requests are counted in all processes by network address. Many honest people
 * share one address, so the limits are far above what a person does; what one request may leave behind is bounded
 * elsewhere.
 */

export interface Limit {
  /** What is counted, for no limit counts for another. */
  what: string;
  perMinute: number;
}

/** The refusal of a request above a limit; in whole seconds. */
export function tooMany(secondsLeft: number, from: 'network' | 'account' = 'network'): PageError {
  return new PageError(429, 'Too many requests', {
    reason: `Very many requests came from your ${from} within a minute.`,
    next: `Wait ${secondsLeft} seconds, then try again.`,
    retryAfter: secondsLeft,
  });
}

/** Of version 6 by its /48: who has one has 65,536 networks of the size that a home has. */
function senderOf(address: string): string {
  const network = networkKey(address);
  return network.endsWith('/48') ? network : addressKey(address);
}

const keyOf = ({ what }: Limit, req: Request) => [what, senderOf(req.ip ?? '')];

/** Refused requests that wait for their answer at the same time in this process. */
const HELD_AT_ONCE = 100;
const HELD_FOR = 1 * SECOND;

let held = 0;

/**
 * Lets a sender that ignores its refusals wait for each of them, so that it takes little of the process. There are few
 * places; a request that finds none is answered at once, and its connection ends.
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
export const isUsedUp = ({ counts }: Context, limit: Limit, req: Request): boolean =>
  counts.look(keyOf(limit, req)).points >= limit.perMinute;

/** @throws {PageError} 429, held back for a while */
async function refuse(context: Context, limit: Limit, req: Request): Promise<never> {
  const { secondsLeft } = context.counts.look(keyOf(limit, req));
  await holdBack(req);
  throw tooMany(secondsLeft);
}

/** Counts a request. @throws {PageError} 429, held back for a while, where that is one above the limit */
export async function countRequest(context: Context, limit: Limit, req: Request): Promise<void> {
  if (isUsedUp(context, limit, req)) return refuse(context, limit, req);
  context.counts.count(keyOf(limit, req));
}

/** A request and its answer. */
export interface Exchange {
  req: Request;
  res: Response;
}

/**
 * Waits for the turn of a request. False where nobody waits for its answer any more.
 * @throws {PageError} 429 where it would wait too long
 */
async function comesToItsTurn(pace: Pace, { req, res }: Exchange): Promise<boolean> {
  const turn = await pace.turnOf(senderOf(req.ip ?? ''), res);
  if (turn.kind === 'now' || turn.kind === 'gone') return turn.kind === 'now';
  if (turn.kind === 'full') res.setHeader('Connection', 'close');
  else await holdBack(req);
  throw tooMany(Math.ceil(turn.wait / SECOND));
}

/** Requests of one sender under one limit in a second; those that come faster wait for their turn. */
const PER_SECOND = 20;

/** A page, what it leads to, and some neighbours. */
const AHEAD = 0.5 * SECOND;

/** Refuses requests above the limit, lets those wait that come too fast, and counts those that go on. */
export function brake(context: Context, limit: Limit): RequestHandler {
  const pace = createPace({ perSecond: PER_SECOND, ahead: AHEAD, stopping: context.shutdown.signal });
  return async (req, res, next) => {
    if (isUsedUp(context, limit, req)) return refuse(context, limit, req);
    if (!(await comesToItsTurn(pace, { req, res }))) return;
    await countRequest(context, limit, req);
    next();
  };
}

/** Slows work down for addresses whose work failed too often. It takes nothing of their neighbours but time. */
export interface FailureBrake {
  /**
   * Does the work of a request once it is its turn; undefined where nobody waits for the answer any more.
   * @throws {PageError} 429 where it would wait too long
   */
  run<T>(exchange: Exchange, work: () => Promise<T>): Promise<T | undefined>;
  /** One more failure of the address that a request came from. */
  countFailure(req: Request): void;
}

/** Work under way, by sender. */
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

/**
 * Above the limit of failures an address gets one turn in a second. What is under way may fail too, so it counts like a
 * failure until it ended: else all that comes at once would pass.
 */
export function createFailureBrake(context: Context, limit: Limit): FailureBrake {
  const pace = createPace({ perSecond: 1, ahead: 0, stopping: context.shutdown.signal });
  const underWay = createWorkUnderWay();
  return {
    async run(exchange, work) {
      const sender = senderOf(exchange.req.ip ?? '');
      const { points } = context.counts.look(keyOf(limit, exchange.req));
      const isSlow = points + underWay.of(sender) >= limit.perMinute;
      if (isSlow && !(await comesToItsTurn(pace, exchange))) return undefined;
      return underWay.run(sender, work);
    },
    countFailure: (req) => void context.counts.count(keyOf(limit, req)),
  };
}
