import { setTimeout as delay } from 'node:timers/promises';
import {
  type Callers,
  expire,
  LOOK_EVERY_MS,
  readMany,
  readOnce,
  SETTLE_LIMIT_MS,
  settle,
} from './callers.ts';
import type { Presentation, RoundHistory } from './checker/history.ts';
import { grantOf } from './database.ts';

/** The end of a round. */

/**
 * No calm yet is a machine that is too busy to connect, or to begin at all, within the shortened limits, and a breaker that
 * still rests after the faults of the round: callers get the last known answer then, with 200. A bridge that never
 * refreshes is a violation.
 */
const CALM_ATTEMPTS = 4;

interface Served {
  id: string;
  token: string;
}

export interface CalmCallers extends Callers {
  presentations: readonly Presentation[];
  calm: RoundHistory['calm'];
  /** Milliseconds for which an answer is served again without asking. */
  freshFor: number;
  /** Whether a refresh token is one of this grant; all are, unless others are refreshed beside it. */
  isOwn(grantId: string, token: string): boolean;
}

/** One end of an access token, and what it causes. */
async function expireOnce(
  callers: CalmCallers,
  { id, token }: Served,
): Promise<RoundHistory['calm'][number] | 'not refreshed' | 'dead'> {
  const { context, presentations, freshFor } = callers;
  await delay(freshFor);
  const before = presentations.length;
  await expire(callers, id);
  const calls = await readMany(callers, 4, token);
  if ((await grantOf(context, id))?.state === 'dead') return 'dead';
  const requests = presentations.slice(before).filter((one) => callers.isOwn(id, one.token)).length;
  if (requests === 0) return 'not refreshed';
  return { requests, statuses: calls.map(({ status }) => status ?? 0) };
}

/** A machine that was cut off a moment ago first notices that its connections broke; each process is called until it serves. */
async function allServe(callers: CalmCallers, { id, token }: Served): Promise<void> {
  if ((await grantOf(callers.context, id))?.state !== 'ready') return;
  const until = Date.now() + SETTLE_LIMIT_MS;
  for (const n of callers.urls.keys())
    while ((await readOnce(callers, n, token)).status === 503) {
      if (Date.now() > until)
        return void callers.unsettled.push(`process ${n} serves nobody without a fault`);
      await delay(LOOK_EVERY_MS);
    }
}

/**
 * Nothing is faulty any more: one end of an access token is one token request, and every caller is answered 200. Answers
 * whether the grant lives.
 */
export async function calm(callers: CalmCallers, grant: Served): Promise<boolean> {
  if (callers.unsettled.length > 0) return true;
  await allServe(callers, grant);
  for (let attempt = 1; attempt <= CALM_ATTEMPTS; attempt += 1) {
    if ((await grantOf(callers.context, grant.id))?.state !== 'ready') return true;
    const seen = await expireOnce(callers, grant);
    // what was lost before is found out only now; a new consent follows
    if (seen === 'dead') return false;
    if (seen !== 'not refreshed') return callers.calm.push(seen) > 0;
    // what was begun late belongs to this end of the token, not to the next one
    await settle(callers, grant.id, grant.token);
    if (callers.unsettled.length > 0) return true;
  }
  callers.calm.push({ requests: 0, statuses: [] });
  return true;
}
