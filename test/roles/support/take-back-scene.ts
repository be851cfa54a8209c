import { confirm } from '../../../src/domain/handover/hand-over.ts';
import { sealPair } from '../../../src/domain/grants/sealed-pair.ts';
import { revokeByHand } from '../../../src/domain/tokens/revoke-token.ts';
import { newHexId, newOpaqueValue } from '../../../src/shared/ids.ts';
import { insertGrant } from '../../../src/store/grants/grants.ts';
import { insertHandover } from '../../../src/store/grants/handovers.ts';
import type { LegacyApp } from '../../support/callers/authorize.ts';
import type { System } from '../../support/bridge/system.ts';
import { waitingToken } from '../../owners/support/people.ts';

/** What can be taken back: a token that support revoked, and a hand-over that the app confirmed. */

const BY = { actor: 'test', requestId: null };

const newest = async ({ bridge }: System, action: string) => {
  const { durable } = bridge.context.store;
  const entry = durable.selectFrom('events').select('id').where('action', '=', action).orderBy('id', 'desc');
  return String((await entry.executeTakeFirstOrThrow()).id);
};

/** The entry of a revocation. */
export async function revokedEntry(system: System, app: LegacyApp): Promise<string> {
  const { id: mappingId } = await waitingToken(system, { app, accountId: newHexId() });
  await revokeByHand(system.bridge.context, { mappingId, reason: 'the wrong one', ...BY });
  return newest(system, 'token_revoked');
}

/** The entry of a confirmation of the app. */
export async function confirmedEntry(system: System, app: LegacyApp): Promise<string> {
  const { context } = system.bridge;
  const [grantId, accountId, now] = [newHexId(), newHexId(), context.clock.now()];
  const { id, token } = await waitingToken(system, { app, accountId, state: 'migrated' });
  const pair = { accessToken: newOpaqueValue(), refreshToken: newOpaqueValue(), lifetime: 3600_000 };
  const scope = 'account:read';
  const sealed = sealPair(context, { id: grantId, version: 1, sentAt: now }, { ...pair, scope });
  const ofPair = { client_id: app.clientId, account_id: accountId };
  await insertGrant(context.store.durable, {
    ...ofPair,
    id: grantId,
    modern_client_id: 'bridge',
    state: 'dead',
    dead_cause: 'handed_over',
    dead_at: now,
    version: 1,
    access_token_sealed: sealed.accessTokenSealed,
    refresh_token_sealed: sealed.refreshTokenSealed,
    scope,
    access_expires_at: sealed.accessExpiresAt,
    refresh_at: sealed.refreshAt,
    created_at: now,
    updated_at: now,
    rotated_at: now,
  });
  const { durable } = context.store;
  await durable.updateTable('mappings').set({ grant_id: grantId }).where('id', '=', id).execute();
  await insertHandover(durable, {
    ...ofPair,
    grant_id: grantId,
    version: 1,
    migrated_tokens: 1,
    handed_at: now,
    confirmed_at: null,
  });
  await confirm(context, { client: { id: 'bridge', client_id: app.clientId }, token, origin: BY });
  return newest(system, 'handover_confirmed');
}
