import { setTimeout as delay } from 'node:timers/promises';
import { grantOf } from '../database.ts';
import type { RoundHistory } from '../checker/history.ts';
import type { Lane } from '../lane.ts';
import { expire, LOOK_EVERY_MS, readMany, readOnce, SETTLE_LIMIT_MS, type Stage, settle } from '../stage.ts';

/** The end of a round. */

/**
 * No calm yet is a machine that is too busy to connect, or to begin at all, within the shortened limits, and a breaker that
 * still rests after the faults of the round: callers get the last known answer then, with 200. A bridge that never
 * refreshes is a violation.
 */
const CALM_ATTEMPTS = 4;

type Served = NonNullable<Lane['grant']>;

/** One end of an access token, and what it causes. */
async function expireOnce(
  stage: Stage,
  { id, token }: Served,
): Promise<RoundHistory['calm'][number] | 'not refreshed' | 'dead'> {
  const { context, presentations } = stage.lane;
  const before = presentations.length;
  await expire(stage, id);
  const calls = await readMany(stage, 4, token);
  if ((await grantOf(context, id))?.state === 'dead') return 'dead';
  const requests = presentations.length - before;
  if (requests === 0) return 'not refreshed';
  return { requests, statuses: calls.map(({ status }) => status ?? 0) };
}

/** A machine that was cut off a moment ago first notices that its connections broke; each process is called until it serves. */
async function bothServe(stage: Stage, { id, token }: Served): Promise<void> {
  if ((await grantOf(stage.lane.context, id))?.state !== 'ready') return;
  const until = Date.now() + SETTLE_LIMIT_MS;
  for (const n of [0, 1])
    while ((await readOnce(stage, n, token)).status === 503) {
      if (Date.now() > until) return void stage.unsettled.push(`process ${n} serves nobody without a fault`);
      await delay(LOOK_EVERY_MS);
    }
}

/** Nothing is faulty any more: one end of an access token is one token request, and every caller is answered 200. */
export async function calm(stage: Stage): Promise<void> {
  const { lane } = stage;
  const { grant } = lane;
  if (!grant || stage.unsettled.length > 0) return;
  await bothServe(stage, grant);
  for (let attempt = 1; attempt <= CALM_ATTEMPTS; attempt += 1) {
    if ((await grantOf(lane.context, grant.id))?.state !== 'ready') return;
    const seen = await expireOnce(stage, grant);
    // what was lost in the round is found out only now; a new consent follows
    if (seen === 'dead') return void (lane.grant = undefined);
    if (seen !== 'not refreshed') return void stage.calm.push(seen);
    // what was begun late belongs to this end of the token, not to the next one
    await settle(stage, grant.id, grant.token);
    if (stage.unsettled.length > 0) return;
  }
  stage.calm.push({ requests: 0, statuses: [] });
}
