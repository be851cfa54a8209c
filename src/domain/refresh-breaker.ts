import { MINUTE } from '../shared/lifetimes.ts';
import type { Context } from './context.ts';

/**
 * Many `invalid_grant` in a short time mean that something larger is wrong than single grants (a restored copy at work,
 * a fault of the modern side): refreshing stops before every grant has been ended, and a person is called.
 */
const REFUSALS = 10;
const WITHIN = 1 * MINUTE;
const STOPPED_FOR = 5 * MINUTE;

interface Breaker {
  refusedAt: number[];
  stoppedUntil: number;
}

const breakers = new WeakMap<Context, Breaker>();

function breakerOf(context: Context): Breaker {
  const known = breakers.get(context) ?? { refusedAt: [], stoppedUntil: 0 };
  breakers.set(context, known);
  return known;
}

/** Counts one refusal and stops all refreshing when there were too many. */
export function noteInvalidGrant(context: Context): void {
  const now = context.clock.now();
  const breaker = breakerOf(context);
  breaker.refusedAt = [...breaker.refusedAt.filter((at) => at > now - WITHIN), now];
  if (breaker.refusedAt.length < REFUSALS) return;
  breaker.stoppedUntil = now + STOPPED_FOR;
  context.logger.error('ALARM: many refused refresh tokens, refreshing is stopped', {
    refusals: breaker.refusedAt.length,
  });
}

/** Whether refreshing is stopped at present. */
export function refreshingIsStopped(context: Context): boolean {
  return breakerOf(context).stoppedUntil > context.clock.now();
}
