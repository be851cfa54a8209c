import { UNFINISHED_CONSENT } from '../../shared/lifetimes.ts';
import { endUnused } from '../../store/grants/grants.ts';
import { deleteOwed, insertOwed } from '../../store/grants/owed-revocations.ts';
import type { Database } from '../../store/driver/store.ts';
import type { Grant } from '../../store/tables/tables.ts';
import type { GrantsDeps } from './deps.ts';
import { recordEvent } from '../history/record-event.ts';
import { owedPlace } from '../keys/sealing-context.ts';
import { requireUsableKey } from '../keys/retry-after-key-rotation.ts';

/**
 * A consent is complete when the code of the old API is made. A process may end before this, and then the new API holds
 * a grant that nobody will use. So the transaction of the grant also writes its revocation, which is due after a while.
 * Making the code deletes this revocation. The row has the id of the grant, which tells it from other revocations of
 * the grant.
 */

/** Writes the delayed revocation of a new grant, in the transaction that stores the grant. */
export async function oweUnlessFinished(
  context: GrantsDeps,
  tx: Database,
  { grantId, refreshToken }: { grantId: string; refreshToken: string },
): Promise<void> {
  const now = context.clock.now();
  const tokenSealed = context.vault.seal(owedPlace(grantId), refreshToken);
  await requireUsableKey(tx, 'sealing', tokenSealed);
  const due = { next_at: now + UNFINISHED_CONSENT, created_at: now };
  await insertOwed(tx, { id: grantId, grant_id: grantId, token_sealed: tokenSealed, ...due });
}

/** Deletes the delayed revocation, in the transaction that stores the code. */
export async function noteFinished(tx: Database, grantId: string): Promise<void> {
  await deleteOwed(tx, grantId);
}

/** Ends a live grant whose consent was never completed. A grant that serves a token or a code lives on. */
export async function endUnfinished(context: GrantsDeps, grant: Grant): Promise<boolean> {
  const now = context.clock.now();
  return context.store.transaction(async (tx) => {
    if (!(await endUnused(tx, grant.id, now))) return false;
    await recordEvent(context, tx, {
      at: now,
      actor: 'bridge',
      action: 'grant_died',
      reason: 'unfinished',
      clientId: grant.client_id,
      accountId: grant.account_id,
      grantId: grant.id,
    });
    return true;
  });
}
