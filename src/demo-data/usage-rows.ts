import { DAY, MINUTE } from '../shared/lifetimes.ts';
import { dayOf } from '../shared/moments.ts';
import type { UsageRow } from '../store/usage/usage.ts';
import { type SeededToken, stateAt } from './life.ts';

/** Thirty days of calls, as programs with the habit of each token would have made. */

const DAYS = 30;

/** Numbers that look counted and are the same at every start. */
const jitter = (calls: number, day: number) => Math.max(1, calls + (((day * 7) % 5) - 2));

/** Whether calls are refused, because the token has lost its connection or was ended. */
const isRefused = (token: SeededToken, at: number) =>
  ['reauthorization_required', 'revoked', 'migrated'].includes(stateAt(token, at) ?? '');

/** Each token is called at its own time of day. A call of today is never later than now, and never yesterday's second. */
function lastCall(token: SeededToken, ago: number, now: number): number {
  const minute = (Number.parseInt(token.id.slice(-4), 10) * 97) % (24 * 60);
  const start = now - (now % DAY) - ago * DAY;
  return Math.max(start, Math.min(start + minute * MINUTE, now - ((minute % 50) + 3) * MINUTE));
}

/** The rows of one token. */
export function demoUsage(token: SeededToken, now: number): UsageRow[] {
  const { habit } = token;
  if (!habit) return [];
  const days = Array.from({ length: DAYS }, (_, ago) => ago).filter(
    (ago) => ago % habit.every === 0 && ago >= (habit.until ?? 0),
  );
  return days.flatMap((ago) =>
    habit.endpoints.map((endpoint, index) => {
      const at = lastCall(token, ago, now);
      return {
        mapping_id: token.id,
        day: dayOf(at),
        endpoint,
        carrier: habit.carrier,
        user_agent: habit.program,
        outcome: isRefused(token, at) ? 'refused' : 'ok',
        calls: jitter(Math.ceil(habit.calls / (index + 1)), ago),
        last_at: at,
      };
    }),
  );
}
