import { findLiveGrant, markDead } from '../store/grants.ts';
import { voidCodes } from '../store/legacy-codes.ts';
import { moveMappings, type Pair } from '../store/mappings.ts';
import type { Database } from '../store/store.ts';
import type { Grant } from '../store/tables.ts';
import { forgetAnswer } from './answer-cache.ts';
import type { Context, Origin } from './context.ts';
import { moveOf } from './mapping-state.ts';
import { oweRevocation, settleSoon } from './owe-revocation.ts';
import { ofMappings, recordEvents } from './record-event.ts';
import { openRefreshToken } from './sealed-pair.ts';
import { withUsableKeys } from './under-all-keys.ts';

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
  if (refreshToken !== undefined) await oweRevocation(context, tx, { grant, refreshToken });
}

/**
 * Ends one app for one account: all its legacy tokens, unspent codes and its grant, in one transaction. The modern side
 * is told afterwards and for as long as it takes; its failure undoes nothing of ours.
 */
export async function deauthorize(context: Context, pair: Pair, origin: Origin): Promise<void> {
  const now = context.clock.now();
  const inOneStep = async (tx: Database) => {
    const moved = await moveMappings(tx, pair, { ...moveOf('revoked'), reason: 'deauthorized', now });
    await voidCodes(tx, pair, now);
    const grant = await findLiveGrant(tx, pair.clientId, pair.accountId);
    if (grant) await endGrant(context, tx, grant);
    const by = { at: now, ...origin, grantId: grant?.id ?? null, ...pair };
    await recordEvents(context, tx, [
      { ...by, action: 'deauthorized', reason: 'the app asked for it' },
      ...ofMappings({ ...by, action: 'token_revoked', reason: 'deauthorized' }, moved),
    ]);
    return grant;
  };
  const ended = await withUsableKeys(context, () => context.store.transaction(inOneStep));
  if (!ended) return;
  await forgetAnswer(context, ended.id);
  settleSoon(context);
}
