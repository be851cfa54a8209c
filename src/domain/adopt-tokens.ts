import { findLiveGrant } from '../store/grants.ts';
import { moveMappings, type Pair } from '../store/mappings.ts';
import type { Database } from '../store/store.ts';
import type { Context, Origin } from './context.ts';
import { moveOf } from './mapping-state.ts';
import { ofMappings, recordEvents } from './record-event.ts';

/**
 * Lets the waiting tokens of an app and account stand on the grant that serves the two already: one grant serves all
 * tokens of the pair, whenever they became known (design 4). In the transaction that made them known; answers how many.
 */
export async function adoptTokens(
  context: Context,
  tx: Database,
  { clientId, accountId, ...origin }: Pair & Origin,
): Promise<number> {
  const grant = await findLiveGrant(tx, clientId, accountId);
  if (!grant) return 0;
  const now = context.clock.now();
  const pair = { clientId, accountId };
  const { to } = moveOf('granted');
  const moved = await moveMappings(tx, pair, {
    from: ['unmapped'],
    to,
    reason: null,
    grantId: grant.id,
    now,
  });
  const connected = { at: now, ...origin, ...pair, action: 'token_connected', grantId: grant.id };
  await recordEvents(context, tx, ofMappings({ ...connected, reason: 'a grant serves the pair' }, moved));
  return moved.length;
}
