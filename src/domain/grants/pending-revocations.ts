import { newHexId } from '../../shared/ids.ts';
import { MINUTE } from '../../shared/lifetimes.ts';
import { countSiblings, findGrant } from '../../store/grants/grants.ts';
import { deleteOwed, insertOwed, listDueOwed, postponeOwed } from '../../store/grants/owed-revocations.ts';
import type { Database } from '../../store/driver/store.ts';
import type { Grant, OwedRevocation } from '../../store/tables/tables.ts';
import type { GrantsDeps } from './deps.ts';
import { endUnfinished } from './unfinished-consent.ts';
import { serverOf } from './modern-client.ts';
import { backOff } from './refresh/refresh-policy.ts';
import { owedPlace } from '../keys/sealing-context.ts';
import { requireUsableKey } from '../keys/retry-after-key-rotation.ts';

/**
 * Tells the new API to forget a grant (RFC 7009). The order to revoke is a row that is written in the transaction of
 * the change and carried out afterwards. A server may revoke the whole consent, so the bridge revokes only while no
 * other grant of the account lives on the same client (docs/decisions/0019). This is checked when the row is written
 * and again before the revocation is sent.
 */

type RevocationOrder = { grant: Grant; refreshToken: string };

/** Orders the revocation of a refresh token. Does nothing where the revocation could end another grant. */
export async function addPendingRevocation(
  context: GrantsDeps,
  tx: Database,
  { grant, refreshToken }: RevocationOrder,
): Promise<void> {
  if ((await countSiblings(tx, grant)) > 0) return;
  const now = context.clock.now();
  const id = newHexId();
  const tokenSealed = context.vault.seal(owedPlace(id), refreshToken);
  await requireUsableKey(tx, 'sealing', tokenSealed);
  await insertOwed(tx, { id, grant_id: grant.id, token_sealed: tokenSealed, next_at: now, created_at: now });
}

async function settleOne(context: GrantsDeps, owed: OwedRevocation): Promise<void> {
  const { durable } = context.store;
  const grant = await findGrant(durable, owed.grant_id);
  const hasEnded = grant !== undefined && (grant.state === 'dead' || (await endUnfinished(context, grant)));
  const harmsNobody = hasEnded && (await countSiblings(durable, grant)) === 0;
  try {
    if (harmsNobody) {
      const server = await serverOf(context, grant.modern_client_id);
      await server.revoke(context.vault.open(owedPlace(owed.id), owed.token_sealed));
    }
    await deleteOwed(durable, owed.id);
  } catch (error) {
    context.logger.warn('a revocation could not be sent, the bridge tries again', {
      grantId: owed.grant_id,
      error,
    });
    const wait = Math.max(backOff(owed.attempts, context.chance()), MINUTE / 4);
    await postponeOwed(durable, owed.id, context.clock.now() + wait);
  }
}

/** Starts to carry out pending revocations without waiting for them. The job repeats failed revocations. */
export function settleSoon(context: GrantsDeps): void {
  settlePendingRevocations(context).catch((error: unknown) => {
    context.logger.error('pending revocations could not be sent, the bridge tries again', { error });
  });
}

/**
 * Carries out the pending revocations that are due. A failed revocation is repeated with back-off and never given up.
 */
export async function settlePendingRevocations(context: GrantsDeps): Promise<void> {
  if (context.instance.isCopy()) return;
  await context.flights.run('owed-revocations', async () => {
    const due = await listDueOwed(context.store.durable, context.clock.now());
    for (const owed of due) {
      if (context.shutdown.signal.aborted) return;
      await settleOne(context, owed);
    }
  });
}
