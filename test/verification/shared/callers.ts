import { setTimeout as delay } from 'node:timers/promises';
import type { Context } from '../../../src/domain/context.ts';
import { readProfiles } from './calls.ts';
import type { Call, Expiry } from './checker/history.ts';
import type { Chance } from './faults/chance.ts';
import { expireAccess, grantOf } from './database.ts';

/** Callers of several processes, and what they have recorded so far. */
export interface Callers {
  /** The same database and keys, in this process. */
  context: Context;
  /** The processes, by address. */
  urls: readonly string[];
  /** Which process is called first. */
  first: number;
  /** The time over which many callers come, in milliseconds. */
  spread: number;
  chance: Chance;
  calls: Call[];
  expiries: Expiry[];
  unsettled: string[];
}

export const SETTLE_LIMIT_MS = 20_000;
export const LOOK_EVERY_MS = 80;

/** The process of the n-th call, counted round all of them. */
export function indexOf({ urls, first }: Pick<Callers, 'urls' | 'first'>, n: number): number {
  return (n + first) % urls.length;
}

export async function readOnce(callers: Callers, n: number, token: string): Promise<Call> {
  const index = indexOf(callers, n);
  const call = await readProfiles(callers.urls[index] ?? '', index, token);
  callers.calls.push(call);
  return call;
}

/** Callers at all processes, spread over a short time. */
export async function readMany(callers: Callers, count: number, token: string): Promise<Call[]> {
  const waits = Array.from({ length: count }, () => callers.chance.between(0, callers.spread));
  return Promise.all(
    waits.map(async (wait, n) => {
      await delay(wait);
      return readOnce(callers, n, token);
    }),
  );
}

/** Ends the life of a grant's access token, and notes when. */
export async function expire(callers: Callers, grantId: string): Promise<void> {
  await expireAccess(callers.context, grantId);
  callers.expiries.push({ at: Date.now(), grantId });
}

async function isSettled({ context }: Callers, grantId: string): Promise<boolean> {
  const grant = await grantOf(context, grantId);
  if (!grant || grant.state === 'dead') return true;
  return grant.state === 'ready' && grant.access_expires_at > context.clock.now();
}

/** Nobody listens at the address: the process was ended, or is on its way up. A start has a limit of its own. */
const isDown = (call: Call | undefined): boolean => call?.failure?.includes('ECONNREFUSED') === true;

/**
 * Calls go on, as those of old integrations would, until the grant serves again or has ended. Only time in which a process
 * listened counts: on a busy machine a start takes longer than everything else.
 */
export async function settle(callers: Callers, grantId: string, token: string): Promise<void> {
  let left = SETTLE_LIMIT_MS;
  for (let n = 0; !(await isSettled(callers, grantId)); n += 1) {
    if (left <= 0) return void callers.unsettled.push(`grant ${grantId} serves nobody and has not ended`);
    const begun = Date.now();
    const call = await Promise.race([readOnce(callers, n, token), delay(1000, undefined)]);
    await delay(LOOK_EVERY_MS);
    if (!isDown(call)) left -= Date.now() - begun;
  }
}
