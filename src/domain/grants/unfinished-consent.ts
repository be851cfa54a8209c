import { UNFINISHED_CONSENT } from '../../shared/lifetimes.ts';
import { endUnused } from '../../store/grants/grants.ts';
import { deleteOwed, insertOwed } from '../../store/grants/owed-revocations.ts';
import type { Database } from '../../store/driver/store.ts';
import type { Grant } from '../../store/tables/tables.ts';
import type { Context } from '../context.ts';
import { recordEvent } from '../history/record-event.ts';
import { owedPlace } from '../keys/sealing-context.ts';
import { requireUsable } from '../keys/retry-after-key-rotation.ts';

/**
 * A consent ends with the legacy code. A process may end between the two, and then the modern side holds a grant that
 * nobody will ever use. So its revocation is owed from the first moment on, due after a while, and the code takes that
 * back. The row has the grant's own id, so that it is told from every other revocation of that grant.
 */

/** Owes the revocation of a new grant in the transaction that stores it. */
export async function oweUnlessFinished(
  context: Context,
  tx: Database,
  { grantId, refreshToken }: { grantId: string; refreshToken: string },
): Promise<void> {
  const now = context.clock.now();
  const tokenSealed = context.vault.seal(owedPlace(grantId), refreshToken);
  await requireUsable(tx, 'sealing', tokenSealed);
  const due = { next_at: now + UNFINISHED_CONSENT, created_at: now };
  await insertOwed(tx, { id: grantId, grant_id: grantId, token_sealed: tokenSealed, ...due });
}

/** The code is made, in the same transaction: nothing is owed any more. */
export async function noteFinished(tx: Database, grantId: string): Promise<void> {
  await deleteOwed(tx, grantId);
}

/** Ends a living grant whose consent never came to its end; one that serves somebody all the same lives on. */
export async function endUnfinished(context: Context, grant: Grant): Promise<boolean> {
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
