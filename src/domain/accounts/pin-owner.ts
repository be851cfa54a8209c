import { ensureAccount } from '../../store/accounts/accounts.ts';
import type { Database } from '../../store/driver/store.ts';
import { pinOwnerTokens } from '../../store/tokens/waiting-tokens.ts';
import { attachTokens } from '../tokens/attach-tokens.ts';
import type { Origin } from '../origin.ts';
import type { AccountsDeps } from './deps.ts';
import { recordEvents } from '../history/record-event.ts';

interface OwnerPinRequest extends Origin {
  clientIds: readonly string[];
  accountId: string;
}

/**
 * Gives the owner tokens of registrations to the owner's account once the id of that account is known. Runs in the
 * transaction that gave the apps their owner.
 */
export async function pinOwner(
  context: AccountsDeps,
  tx: Database,
  { clientIds, accountId, ...origin }: OwnerPinRequest,
): Promise<void> {
  if (clientIds.length === 0) return;
  const now = context.clock.now();
  const isNamed = await ensureAccount(tx, accountId, now);
  const tokens = await pinOwnerTokens(tx, clientIds, { accountId, now });
  const by = { at: now, ...origin, accountId, reason: 'the owner of the app' };
  await recordEvents(context, tx, [
    ...(isNamed ? [{ ...by, action: 'account_named' }] : []),
    ...tokens.map(({ id, client_id }) => ({
      ...by,
      action: 'account_pinned',
      clientId: client_id,
      mappingId: id,
    })),
  ]);
  for (const { client_id: clientId } of tokens)
    await attachTokens(context, tx, { clientId, accountId, ...origin });
}
