import { accessTokenFor } from '../../../src/domain/grants/refresh/access-token.ts';
import { sealPair } from '../../../src/domain/grants/sealed-pair.ts';
import { resolveDoubts } from '../../../src/domain/grants/resolve-doubts.ts';
import { upsertAccount } from '../../../src/store/accounts/accounts.ts';
import { insertGrant } from '../../../src/store/grants/grants.ts';
import { SettableClock } from '../../support/bridge/settable-clock.ts';
import { startSystem, type System } from '../../support/bridge/system.ts';

/**
 * An hour of a gateway that loses every answer, before a fleet of ten thousand grants whose access tokens end evenly
 * over that hour, each called when it ends. The whole engine runs, by a clock that is set forward from call to call.
 */

const FLEET = 10_000;
const HOUR = 3_600_000;
const EVERY = HOUR / FLEET;
const SETTLED_EVERY = 10_000;
const LOST_AT_MOST = 25;

const clock = new SettableClock();
let system: System;

const idOf = (number: number) => number.toString(16).padStart(24, '0');

/** A grant of an account of its own; its tokens were never issued, and nobody gets to hear so. */
async function keepGrant(number: number, endsAt: number): Promise<void> {
  const { context } = system.bridge;
  const [id, now] = [idOf(number), clock.now()];
  const tokens = {
    accessToken: `access-${number}`,
    refreshToken: `refresh-${number}`,
    scope: 'account:read',
  };
  const sealed = sealPair(context, { id, version: 1, sentAt: now }, { ...tokens, lifetime: HOUR });
  await context.store.transaction(async (tx) => {
    await upsertAccount(tx, { account_id: `account-${number}`, updated_at: now });
    await insertGrant(tx, {
      id,
      client_id: system.app.clientId,
      account_id: `account-${number}`,
      modern_client_id: context.server.clientId,
      state: 'ready',
      version: 1,
      access_token_sealed: sealed.accessTokenSealed,
      refresh_token_sealed: sealed.refreshTokenSealed,
      scope: sealed.scope,
      access_expires_at: endsAt,
      refresh_at: endsAt,
      rotated_at: now,
      created_at: now,
      updated_at: now,
    });
  });
}

beforeAll(async () => {
  system = await startSystem({ clock });
  const begin = clock.now();
  for (let number = 0; number < FLEET; number += 1) await keepGrant(number, begin + (number + 1) * EVERY);
  system.proxy.onTokenAnswer = () => ({ status: 502, headers: {}, body: Buffer.from('bad gateway') });
}, 600_000);

afterAll(() => system.stop());

test('an hour of lost answers costs at most twenty-five grants of ten thousand', async () => {
  const { context } = system.bridge;
  for (let number = 0; number < FLEET; number += 1) {
    clock.advance(EVERY);
    if ((number * EVERY) % SETTLED_EVERY < EVERY) await resolveDoubts(context);
    await expect(accessTokenFor(context, { id: idOf(number) })).rejects.toMatchObject({
      name: 'Unavailable',
    });
  }
  const presented = new Set(system.proxy.refreshes().map(({ refreshToken }) => refreshToken));
  console.log(`an hour of lost answers: ${presented.size} of ${FLEET} grants were presented`);
  expect(presented.size).toBeGreaterThanOrEqual(5);
  expect(presented.size).toBeLessThanOrEqual(LOST_AT_MOST);
}, 1_200_000);
