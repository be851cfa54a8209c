import { storeRotatedPair } from '../../src/domain/grants/refresh/store-rotated-pair.ts';
import { settlePendingRevocations } from '../../src/domain/grants/pending-revocations.ts';
import { sealPair } from '../../src/domain/grants/sealed-pair.ts';
import { issueToken } from '../support/callers/legacy-calls.ts';
import type { System } from '../support/bridge/system.ts';
import {
  exchange,
  fieldOf,
  OWN_CLIENT,
  refreshAsApp,
  startSystemWithOwnClient,
} from './support/own-client.ts';

/** What a process that was paused over a hand-over brings back; no other grant of the account was handed over. */

let system: System;

beforeAll(async () => {
  system = await startSystemWithOwnClient();
});

afterAll(() => system.stop());

test('a pair that comes late for a grant that was handed over is left alone: to revoke it would end what the app has', async () => {
  const token = await issueToken(system);
  const handed = await exchange(system.bridgeUrl, token);
  const refreshToken = String(fieldOf(handed, 'refresh_token'));
  const { context } = system.bridge;
  const { grant_id: id } = await context.store.durable
    .selectFrom('mappings')
    .select('grant_id')
    .where('token_digest', 'in', context.vault.digests(token))
    .executeTakeFirstOrThrow();
  if (id === null) throw new Error('the token stood on no grant');
  const late = { accessToken: 'late', refreshToken, lifetime: 1000, scope: 'account:read' };
  const pair = sealPair(context, { id, version: 1, sentAt: context.clock.now() }, late);
  await storeRotatedPair(context, { grantId: id, version: 0, pair });
  await settlePendingRevocations(context);
  expect(system.proxy.revoked()).toEqual([]);
  expect((await refreshAsApp(system, refreshToken, OWN_CLIENT)).status).toBe(200);
});
