import { findLiveGrant, markDead } from '../../store/grants/grants.ts';
import { voidCodes } from '../../store/authorization/legacy-codes.ts';
import { moveMappings, type AppAccount } from '../../store/tokens/mappings.ts';
import type { Database } from '../../store/driver/store.ts';
import type { Grant } from '../../store/tables/tables.ts';
import { forgetAnswer } from '../grants/refresh/answer-cache.ts';
import { tellSettled } from '../grants/refresh/tell-settled.ts';
import type { Origin } from '../origin.ts';
import type { TokensDeps } from './deps.ts';
import { tellEnded } from './tell-ended.ts';
import { moveOf } from '../grants/mapping-state.ts';
import { addPendingRevocation, settleSoon } from '../grants/pending-revocations.ts';
import { ofMappings, recordEvents } from '../history/record-event.ts';
import { openRefreshToken } from '../grants/sealed-pair.ts';
import { withUsableKeys } from '../keys/retry-after-key-rotation.ts';

/** The refresh token to revoke at the new API. A grant whose token pair cannot be opened ends here all the same. */
function refreshTokenOf(context: TokensDeps, grant: Grant): string | undefined {
  try {
    return openRefreshToken(context, grant);
  } catch (error) {
    context.logger.error('a deauthorized grant could not be revoked at the new API', {
      grantId: grant.id,
      error,
    });
    return undefined;
  }
}

async function endGrant(context: TokensDeps, tx: Database, grant: Grant): Promise<void> {
  const refreshToken = refreshTokenOf(context, grant);
  await markDead(
    tx,
    { id: grant.id },
    { cause: 'deauthorized', now: context.clock.now(), eraseTokens: true },
  );
  if (refreshToken !== undefined) await addPendingRevocation(context, tx, { grant, refreshToken });
}

/** The actor of an end, and the reason in words. */
export interface ReasonedOrigin extends Origin {
  reason: string;
}

/** What a deauthorization ended: a grant where one lived, and the ids of the tokens that still worked or could again. */
export interface Deauthorization {
  grant: Grant | undefined;
  mappings: string[];
}

/**
 * Ends one app for one account inside the caller's transaction. The caller runs `withUsableKeys` around that
 * transaction and `afterDeauthorization` after it.
 */
export async function deauthorizeIn(
  context: TokensDeps,
  tx: Database,
  { clientId, accountId, ...ending }: AppAccount & ReasonedOrigin,
): Promise<Deauthorization> {
  const now = context.clock.now();
  const pair = { clientId, accountId };
  const mappings = await moveMappings(tx, pair, { ...moveOf('revoked'), reason: 'deauthorized', now });
  await voidCodes(tx, pair, now);
  const grant = await findLiveGrant(tx, clientId, accountId);
  if (grant) await endGrant(context, tx, grant);
  const by = { at: now, ...ending, grantId: grant?.id ?? null, ...pair };
  await recordEvents(context, tx, [
    { ...by, action: 'deauthorized' },
    ...ofMappings({ ...by, action: 'token_revoked', reason: 'deauthorized' }, mappings),
  ]);
  return { grant, mappings };
}

/** After the commit: no cached answer is served any more, and the grant is revoked at the new API. */
export async function afterDeauthorization(context: TokensDeps, ended: Grant | undefined): Promise<void> {
  if (!ended) return;
  tellSettled(context, ended, 'ended');
  await forgetAnswer(context, ended.id);
  settleSoon(context);
}

/**
 * Ends one app for one account: all its tokens, its unspent codes and its grant, in one transaction. Afterwards the
 * grant is revoked at the new API, with retries for as long as needed. A failure there undoes nothing here.
 */
export async function deauthorize(
  context: TokensDeps,
  pair: AppAccount,
  ending: ReasonedOrigin,
): Promise<void> {
  const inOneStep = (tx: Database) => deauthorizeIn(context, tx, { ...pair, ...ending });
  const { grant, mappings } = await withUsableKeys(context, () => context.store.transaction(inOneStep));
  tellEnded(context, { ...ending, reason: 'deauthorized', clientId: pair.clientId, mappings });
  await afterDeauthorization(context, grant);
}
