import { once } from 'node:events';
import { createServer } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { accessTokenFor } from '../../../src/domain/grants/refresh/access-token.ts';
import { sealPair } from '../../../src/domain/grants/sealed-pair.ts';
import { withTimeout } from '../../../src/domain/work/with-timeout.ts';
import { upsertAccount } from '../../../src/store/accounts/accounts.ts';
import { insertGrant } from '../../../src/store/grants/grants.ts';
import { startSystem, type System } from '../../support/bridge/system.ts';
import { bodyOf } from '../../support/servers/forward.ts';
import { portOf } from '../../support/servers/free-port.ts';

/**
 * Ten thousand access tokens end within one minute, and each is called for when it ends. A machine may be too slow for
 * that: then callers come again as they are told, and those who wait are served before those who have gone.
 */

const FLEET = 10_000;
const SPAN = 60_000;
const HOUR = 3_600_000;
/** What one process may have under way. */
const AT_ONCE = 16;
const ANSWERS_AFTER = 50;

let system: System;
let underWay = 0;
let most = 0;
const presented: string[] = [];

const server = createServer((request, response) => {
  void (async () => {
    most = Math.max(most, (underWay += 1));
    const token = new URLSearchParams((await bodyOf(request)).toString()).get('refresh_token') ?? '';
    presented.push(token);
    await delay(ANSWERS_AFTER);
    underWay -= 1;
    const pair = { access_token: `a-${token}`, refresh_token: `r-${token}`, token_type: 'Bearer' };
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ ...pair, expires_in: 3600, scope: 'account:read' }));
  })();
});

const idOf = (number: number) => number.toString(16).padStart(24, '0');

async function keepGrant(number: number, endsAt: number): Promise<void> {
  const { context } = system.bridge;
  const [id, now] = [idOf(number), context.clock.now()];
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
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  system = await startSystem({ env: { MODERN_AUTH_URL: `http://127.0.0.1:${portOf(server)}` } });
  for (let number = 0; number < FLEET; number += 1) await keepGrant(number, 0);
}, 600_000);

afterAll(async () => {
  await system.stop();
  server.close();
  server.closeAllConnections();
});

interface Served {
  /** How often the caller was told to come again. */
  turnedAway: number;
  waited: number;
}

/** An integration that calls when its access token ends, and comes again as it is told. */
async function callUntilServed(number: number): Promise<Served> {
  await delay((number * SPAN) / FLEET);
  const begun = performance.now();
  for (let turnedAway = 0; ; turnedAway += 1) {
    const again = await withTimeout(accessTokenFor(system.bridge.context, { id: idOf(number) })).then(
      () => undefined,
      (error: { retryAfter?: number }) => error.retryAfter ?? 5000,
    );
    if (again === undefined) return { turnedAway, waited: performance.now() - begun };
    await delay(again);
  }
}

test('every caller is served, each token is presented once, and no more are under way than allowed', async () => {
  const begun = performance.now();
  const callers = Array.from({ length: FLEET }, (_, number) => callUntilServed(number));
  const served = await Promise.all(callers);
  const waited = served.map((one) => one.waited).toSorted((a, b) => a - b);
  const atOnce = served.filter(({ turnedAway }) => turnedAway === 0).length;
  process.stderr.write(
    `${FLEET} grants: ${atOnce} served by their first call, all after ${Math.round((performance.now() - begun) / 1000)} s, ` +
      `p50 ${Math.round(waited[FLEET / 2] ?? 0)} ms, p99 ${Math.round(waited[FLEET * 0.99] ?? 0)} ms, ${most} under way at most\n`,
  );
  expect(served).toHaveLength(FLEET);
  expect(presented).toHaveLength(FLEET);
  expect(new Set(presented).size).toBe(FLEET);
  expect(most).toBeLessThanOrEqual(AT_ONCE);
}, 1_200_000);
