import type { LegacyApp } from '../../support/callers/authorize.ts';
import type { Answer } from '../../support/servers/forward.ts';
import { issueToken, read } from '../../support/callers/legacy-calls.ts';
import { giveToAccount } from '../../support/callers/other-account.ts';
import { SettableClock } from '../../support/bridge/settable-clock.ts';
import { startSystem, type System } from '../../support/bridge/system.ts';

/**
 * Grants of many accounts that end within a minute stop every refresh for five minutes, before all of them have ended.
 * Ten accounts are never enough, whatever the size of the fleet.
 */

/**
 * In seconds. The bridge settles doubts by itself as well: the one here must not be over before refreshing is stopped,
 * and must be before it goes on.
 */
const QUIET = 200;

const clock = new SettableClock();
let system: System;
let tokens: string[];
/** The app of the one grant whose outcome is unknown. */
let doubtful: { app: LegacyApp; token: string };
/** Its refresh token, which the bridge may present again by itself at any moment that is not stopped. */
let inDoubt: string | undefined;

const profiles = (token: string) => read(system, '/1/profiles.json', token);

async function tokenOfNewApp(number: number) {
  const app = await system.registerApp(`https://app-${number}.example/callback`);
  const token = await issueToken(system, { app });
  await giveToAccount(system, app, `account-${number}`);
  return { app, token };
}

const refused: Answer = {
  status: 400,
  headers: { 'content-type': 'application/json' },
  body: Buffer.from('{"error":"invalid_grant"}'),
};

/** Lets the next grants end. */
async function end(count: number): Promise<void> {
  system.proxy.onTokenAnswer = () => refused;
  for (const token of tokens.splice(0, count)) expect((await profiles(token)).status).toBe(401);
  system.proxy.onTokenAnswer = undefined;
}

/** How often another refresh token than that was presented. */
const sentBeside = () =>
  system.proxy.refreshes().filter(({ refreshToken }) => refreshToken !== inDoubt).length;

/** Whether a call with the next token causes a refresh, and how it is answered. */
async function tryNext(): Promise<{ sent: number; status: number }> {
  const before = sentBeside();
  const { status } = await profiles(tokens[0] ?? '');
  return { sent: sentBeside() - before, status };
}

beforeAll(async () => {
  const env = { PROFILES_FRESH_SECONDS: '0', LEGACY_RATE_LIMIT: '0', IN_DOUBT_QUIET_SECONDS: String(QUIET) };
  system = await startSystem({ clock, env });
  const made = [];
  for (let number = 0; number < 26; number += 1) made.push(await tokenOfNewApp(number));
  tokens = made.slice(1).map(({ token }) => token);
  [doubtful] = made as [(typeof made)[0]];
  clock.advance(3_700_000);
  system.proxy.onTokenCall = ({ refreshToken }) => {
    inDoubt = refreshToken;
    throw new Error('cut');
  };
  await profiles(doubtful.token);
  system.proxy.onTokenCall = undefined;
});

afterAll(() => system.stop());

const stateOf = async ({ clientId }: LegacyApp) =>
  system.bridge.context.store.durable
    .selectFrom('grants')
    .select('state')
    .where('client_id', '=', clientId)
    .executeTakeFirst();

test('grants of ten accounts that end within a minute stop nobody', async () => {
  await end(10);
  expect(await tryNext()).toEqual({ sent: 1, status: 200 });
  tokens.shift();
});

test('after those of eleven nothing is refreshed or given up for five minutes, then all goes on', async () => {
  clock.advance(61_000);
  await end(11);
  expect(await tryNext()).toEqual({ sent: 0, status: 503 });
  clock.advance(QUIET * 1000);
  expect((await profiles(doubtful.token)).status).toBe(503);
  expect(await stateOf(doubtful.app)).toEqual({ state: 'in_doubt' });
  clock.advance(299_000 - QUIET * 1000);
  expect(await tryNext()).toEqual({ sent: 0, status: 503 });
  clock.advance(2_000);
  expect(await tryNext()).toEqual({ sent: 1, status: 200 });
});
