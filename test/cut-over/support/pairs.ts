import type { Context } from '../../../src/domain/context.ts';
import { newHexId, newLegacyToken, tokenHint } from '../../../src/shared/ids.ts';
import { ensureAccount } from '../../../src/store/accounts/accounts.ts';
import type { UsageRow } from '../../../src/store/usage/usage.ts';

/** Accounts that have connected an old token of an app, as rows: calls that need the new API itself fail with them. */

export interface ConnectedPair {
  accountId: string;
  token: string;
  mappingId: string;
}

interface Wanted {
  clientId: string;
  count: number;
  scope?: string;
  modernClientId?: string;
}

const ALL_SCOPES = 'account:read posts:read posts:write offline_access';

/** Adds pairs of an app, each with an account, a grant and an imported token of its own. */
export async function addPairs(
  { store, vault, clock, server }: Pick<Context, 'store' | 'vault' | 'clock' | 'server'>,
  { clientId, count, scope = ALL_SCOPES, modernClientId = server.clientId }: Wanted,
): Promise<ConnectedPair[]> {
  const now = clock.now();
  const pairs = Array.from({ length: count }, () => ({
    accountId: newHexId(),
    token: newLegacyToken(),
    mappingId: newHexId(),
    grantId: newHexId(),
  }));
  await store.transaction(async (tx) => {
    for (const { accountId, token, mappingId, grantId } of pairs) {
      await ensureAccount(tx, accountId, now);
      await tx
        .insertInto('grants')
        .values({
          id: grantId,
          client_id: clientId,
          account_id: accountId,
          modern_client_id: modernClientId,
          state: 'ready',
          version: 1,
          scope,
          access_expires_at: now + 3_600_000,
          refresh_at: now + 3_600_000,
          created_at: now,
          updated_at: now,
          rotated_at: now,
        })
        .execute();
      const hint = tokenHint(token);
      await tx
        .insertInto('mappings')
        .values({
          id: mappingId,
          token_digest: vault.digest(token),
          hint_first: hint.first,
          hint_last: hint.last,
          client_id: clientId,
          account_id: accountId,
          grant_id: grantId,
          state: 'active',
          source: 'imported',
          created_at: now,
          updated_at: now,
        })
        .execute();
    }
  });
  return pairs;
}

/** Notes that a token was used so often on a day. */
export async function addUse(
  { store, clock }: Pick<Context, 'store' | 'clock'>,
  use: Pick<UsageRow, 'mapping_id' | 'endpoint' | 'calls' | 'day'> & { outcome?: string },
): Promise<void> {
  const how = { carrier: 'header', user_agent: 'test', outcome: 'ok', last_at: clock.now() } as const;
  await store.volatile
    .insertInto('usage')
    .values({ ...how, ...use })
    .execute();
}
