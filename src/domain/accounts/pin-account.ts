import { normalEmail } from '../../shared/mail/address.ts';
import { ensureAccount } from '../../store/accounts/accounts.ts';
import { pinAccess } from '../../store/apps/shared-apps.ts';
import { voidReminderProofs } from '../../store/accounts/email-proofs.ts';
import type { Database } from '../../store/driver/store.ts';
import { pinApps, pinIdPair, pinOwnerTokens, pinTokens } from '../../store/tokens/waiting-tokens.ts';
import { attachTokens } from '../tokens/attach-tokens.ts';
import type { Origin } from '../origin.ts';
import type { AccountsDeps } from './deps.ts';
import { applyAccountPairs } from './apply-account-pairs.ts';
import { recordEvents } from '../history/record-event.ts';

/**
 * An e-mail address reaches a person and proves nothing (docs/decisions/0017). Rows with only an e-mail address are
 * pinned to an account id when the account is proven or support decides, in one transaction. From then on ids alone
 * count: a row with an account id never changes, but for a contact whose account has another address by now.
 */

export interface PinRequest extends Origin {
  email: string;
  accountId: string;
  /** Why the pin is allowed, for the history. */
  how: string;
}

/** How many waiting tokens, apps and old ids have their account now. */
export interface PinCounts {
  tokens: number;
  apps: number;
  ids: number;
}

/**
 * Pins everything that waits under an e-mail address to an account, in the caller's transaction. A token whose app and
 * account have a grant goes onto that grant at once.
 */
export async function pinAccountIn(
  context: AccountsDeps,
  tx: Database,
  { accountId, how, email, ...origin }: PinRequest,
): Promise<PinCounts> {
  const now = context.clock.now();
  const pinning = { email: normalEmail(email), accountId, now };
  const isNamed = await ensureAccount(tx, accountId, now);
  // The address is pinned and needs no further proof, so links in reminders to the address stop working.
  await voidReminderProofs(tx, pinning.email, now);
  const apps = await pinApps(tx, pinning);
  const owners = apps.length > 0 ? await pinOwnerTokens(tx, apps, pinning) : [];
  const tokens = [...(await pinTokens(tx, pinning)), ...owners];
  const shared = await pinAccess(tx, pinning);
  const legacyId = await pinIdPair(tx, pinning);
  const by = { at: now, ...origin, accountId, reason: how, action: 'account_pinned' };
  await recordEvents(context, tx, [
    ...(isNamed ? [{ ...by, action: 'account_named' }] : []),
    ...apps.map((clientId) => ({ ...by, clientId })),
    ...tokens.map(({ id, client_id: clientId }) => ({ ...by, clientId, mappingId: id })),
    ...shared.map(({ client_id: clientId, access }) => ({
      ...by,
      action: 'access_proven',
      reason: `${access ?? 'no access'}: ${how}`,
      clientId,
    })),
    ...(legacyId === undefined ? [] : [{ ...by, reason: `${how}; the old account id ${legacyId}` }]),
  ]);
  for (const clientId of new Set(tokens.map((token) => token.client_id)))
    await attachTokens(context, tx, { clientId, accountId, ...origin });
  const pairs = legacyId === undefined ? [] : [{ legacyId, modernId: accountId, email: pinning.email }];
  const followed = await applyAccountPairs(context, tx, { pairs, origin });
  return {
    tokens: tokens.length + followed.tokens,
    apps: apps.length + followed.apps,
    ids: pairs.length,
  };
}
