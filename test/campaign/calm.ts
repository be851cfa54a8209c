import { grantOf } from './database.ts';
import type { RoundHistory } from './history.ts';
import type { Lane } from './lane.ts';
import { expire, readMany, type Stage } from './stage.ts';

/** The end of a round. */

/** A machine that is too busy to connect within the shortened limits is no calm; a bridge that never refreshes is. */
const CALM_ATTEMPTS = 4;

type Served = NonNullable<Lane['grant']>;

/** One end of an access token, and what it causes. */
async function expireOnce(
  stage: Stage,
  { id, token }: Served,
): Promise<RoundHistory['calm'][number] | 'unconnected' | 'dead'> {
  const { context, presentations } = stage.lane;
  const [before, attempts] = [presentations.length, (await grantOf(context, id))?.attempts ?? 0];
  await expire(stage, id);
  const calls = await readMany(stage, 4, token);
  const after = await grantOf(context, id);
  if (after?.state === 'dead') return 'dead';
  const requests = presentations.length - before;
  if (requests === 0 && (after?.attempts ?? 0) > attempts) return 'unconnected';
  return { requests, statuses: calls.map(({ status }) => status ?? 0) };
}

/** Nothing is faulty any more: one end of an access token is one token request, and every caller is answered 200. */
export async function calm(stage: Stage): Promise<void> {
  const { lane } = stage;
  const { grant } = lane;
  if (!grant || stage.unsettled.length > 0) return;
  for (let attempt = 1; attempt <= CALM_ATTEMPTS; attempt += 1) {
    if ((await grantOf(lane.context, grant.id))?.state !== 'ready') return;
    const seen = await expireOnce(stage, grant);
    // what was lost in the round is found out only now; a new consent follows
    if (seen === 'dead') return void (lane.grant = undefined);
    if (seen !== 'unconnected') return void stage.calm.push(seen);
  }
  stage.calm.push({ requests: 0, statuses: [] });
}
