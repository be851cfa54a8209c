import { findLiveGrant, markDead } from '../../store/grants/grants.ts';
import { voidCodes } from '../../store/authorization/legacy-codes.ts';
import { moveMappings, type Pair } from '../../store/tokens/mappings.ts';
import type { Database } from '../../store/driver/store.ts';
import type { Grant } from '../../store/tables/tables.ts';
import { forgetAnswer } from '../grants/refresh/answer-cache.ts';
import type { Context, Origin } from '../context.ts';
import { moveOf } from '../grants/mapping-state.ts';
import { addPendingRevocation, settleSoon } from '../grants/pending-revocations.ts';
import { ofMappings, recordEvents } from '../history/record-event.ts';
import { openRefreshToken } from '../grants/sealed-pair.ts';
import { withUsableKeys } from '../keys/retry-after-key-rotation.ts';

/** The pair that the modern side should forget; a grant whose pair cannot be opened is ended here all the same. */
function refreshTokenOf(context: Context, grant: Grant): string | undefined {
  try {
    return openRefreshToken(context, grant);
  } catch (error) {
    context.logger.error('a deauthorized grant cannot be revoked upstream', { grantId: grant.id, error });
    return undefined;
  }
}

async function endGrant(context: Context, tx: Database, grant: Grant): Promise<void> {
  const refreshToken = refreshTokenOf(context, grant);
  await markDead(
    tx,
    { id: grant.id },
    { cause: 'deauthorized', now: context.clock.now(), eraseTokens: true },
  );
  if (refreshToken !== undefined) await addPendingRevocation(context, tx, { grant, refreshToken });
}

/** Who ended it, and why, in words. */
export interface Ending extends Origin {
  reason: string;
}

/**
 * Ends one app for one account inside a transaction of the caller, who runs `withUsableKeys` around it and
 * `afterDeauthorization` behind it; answers the grant that ended.
 */
export async function deauthorizeIn(
  context: Context,
  tx: Database,
  { clientId, accountId, ...ending }: Pair & Ending,
): Promise<Grant | undefined> {
  const now = context.clock.now();
  const pair = { clientId, accountId };
  const moved = await moveMappings(tx, pair, { ...moveOf('revoked'), reason: 'deauthorized', now });
  await voidCodes(tx, pair, now);
  const grant = await findLiveGrant(tx, clientId, accountId);
  if (grant) await endGrant(context, tx, grant);
  const by = { at: now, ...ending, grantId: grant?.id ?? null, ...pair };
  await recordEvents(context, tx, [
    { ...by, action: 'deauthorized' },
    ...ofMappings({ ...by, action: 'token_revoked', reason: 'deauthorized' }, moved),
  ]);
  return grant;
}

/** What follows the commit: no cached answer serves any more, and the modern side is told. */
export async function afterDeauthorization(context: Context, ended: Grant | undefined): Promise<void> {
  if (!ended) return;
  await forgetAnswer(context, ended.id);
  settleSoon(context);
}

/**
 * Ends one app for one account: all its legacy tokens, unspent codes and its grant, in one transaction. The modern side
 * is told afterwards and for as long as it takes; its failure undoes nothing of ours.
 */
export async function deauthorize(context: Context, pair: Pair, ending: Ending): Promise<void> {
  const inOneStep = (tx: Database) => deauthorizeIn(context, tx, { ...pair, ...ending });
  const ended = await withUsableKeys(context, () => context.store.transaction(inOneStep));
  await afterDeauthorization(context, ended);
}
