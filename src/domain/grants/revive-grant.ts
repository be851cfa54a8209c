import { moveMappingsOf } from '../../store/tokens/mappings.ts';
import { reviveWithRotation, stopReason, UNKNOWN_ANSWER } from '../../store/grants/presentations.ts';
import type { SealedPair } from '../../store/grants/presentations.ts';
import type { Database } from '../../store/driver/store.ts';
import type { RotatingGrant } from '../../store/grants/grants.ts';
import type { GrantsDeps } from './deps.ts';
import { moveOf } from './mapping-state.ts';
import { ofMappings, recordEvents } from '../history/record-event.ts';

/**
 * A grant may be given up while its next pair lies on a machine that cannot reach the database. This pair is the answer
 * that was unknown. When it comes, the grant and the tokens that stopped with the grant go on. The dead grant's own
 * pair may be erased by then, and the new pair takes its place.
 */

const REASON = 'its lost answer was found';

/** Revives a grant by compare on its version, in the caller's transaction, with its tokens and the history entries. */
export async function reviveGrant(
  context: GrantsDeps,
  tx: Database,
  { grant, pair, next }: { grant: RotatingGrant; pair: SealedPair; next: number },
): Promise<boolean> {
  const now = context.clock.now();
  if (!(await reviveWithRotation(tx, grant, { ...pair, next, now }))) return false;
  const stopped = { grantId: grant.id, reasons: UNKNOWN_ANSWER.map(stopReason) };
  const moved = await moveMappingsOf(tx, stopped, { ...moveOf('grant_revived'), reason: null, now });
  const pairOf = { clientId: grant.client_id, accountId: grant.account_id };
  const by = { at: now, actor: 'bridge', reason: REASON, grantId: grant.id, ...pairOf };
  await recordEvents(context, tx, [
    { ...by, action: 'grant_revived' },
    ...ofMappings({ ...by, action: 'token_connected' }, moved),
  ]);
  context.logger.warn('a grant that was given up works again', { grantId: grant.id, version: next });
  return true;
}
