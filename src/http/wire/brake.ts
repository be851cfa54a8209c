import { setTimeout as delay } from 'node:timers/promises';
import type { Request, RequestHandler } from 'express';
import type { Context } from '../../domain/context.ts';
import { addressKey, networkKey } from '../../shared/addresses.ts';
import { SECOND } from '../../shared/lifetimes.ts';
import { PageError } from '../page-error.ts';
import { createPace } from './pace.ts';

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

/** Counts a request. @throws {PageError} 429, held back for a while, where that is one above the limit */
export async function countRequest({ counts }: Context, limit: Limit, req: Request): Promise<void> {
  const { points, secondsLeft } = counts.count(keyOf(limit, req));
  if (points <= limit.perMinute) return;
  await holdBack(req);
  throw tooMany(secondsLeft);
}

/** Requests of one sender under one limit; those that come faster wait for their turn. */
const PER_SECOND = 20;

/** Counts each request, refuses those above the limit, and lets those wait that come too fast. */
export function brake(context: Context, limit: Limit): RequestHandler {
  const pace = createPace(PER_SECOND);
  return async (req, _res, next) => {
    await countRequest(context, limit, req);
    const wait = await pace.turnOf(senderOf(req.ip ?? ''));
    if (wait === 0) return next();
    await holdBack(req);
    throw tooMany(Math.ceil(wait / SECOND));
  };
}

/** Lets a request of an address wait that had too many failures, which `countFailure` counts. None is refused for them. */
export async function waitForFailures({ counts }: Context, limit: Limit, req: Request): Promise<void> {
  if (counts.look(keyOf(limit, req)).points >= limit.perMinute) await delay(HELD_FOR);
}

/** One more failure of the address that a request came from. */
export function countFailure({ counts }: Context, limit: Limit, req: Request): void {
  counts.count(keyOf(limit, req));
}
