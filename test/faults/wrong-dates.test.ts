import { sql } from 'kysely';
import { accessTokenFor } from '../../src/domain/grants/refresh/access-token.ts';
import { findTurn } from '../../src/domain/grants/refresh/stop/doubt-breaker.ts';
import { recoverSpilledPairs } from '../../src/domain/grants/refresh/store-rotated-pair.ts';
import { sealPair } from '../../src/domain/grants/sealed-pair.ts';
import { LOOK_AGAIN } from '../../src/shared/lifetimes.ts';
import { readBreaker } from '../../src/store/grants/refresh-breaker.ts';
import { until } from '../support/servers/held-answer.ts';
import { issueToken, read } from '../support/callers/legacy-calls.ts';
import { SettableClock } from '../support/bridge/settable-clock.ts';
import { startSystem, type System } from '../support/bridge/system.ts';

/**
 * Dates that are not those of now: a lost answer and a breaker that a clock which runs ahead wrote down, and a pair that
 * is stored long after it came. None of them stops the fleet for longer than a lost answer does, and none opens it.
 */

const HOUR = 3_700_000;
const MINUTE = 60_000;

const clock = new SettableClock();
let system: System;
/** Each of an app of its own; their access tokens have ended. */
let tokens: Array<{ token: string; grantId: string }>;

const context = () => system.bridge.context;
const durable = () => context().store.durable;
const breaker = () => readBreaker(durable(), clock.now());
const sent = () => system.proxy.refreshes().length;
const loseAnswers = (are: boolean) =>
  (system.proxy.onTokenAnswer = are
    ? () => ({ status: 502, headers: {}, body: Buffer.from('bad gateway') })
    : undefined);

beforeAll(async () => {
  // No doubt is settled within this test: what is presented is presented for the first time.
  const env = { PROFILES_FRESH_SECONDS: '0', LEGACY_RATE_LIMIT: '0', IN_DOUBT_QUIET_SECONDS: '86400' };
  system = await startSystem({ clock, env });
  tokens = [];
  for (let number = 0; number < 20; number += 1) {
    const app = await system.registerApp(`https://app-${number}.example/callback`);
    const token = await issueToken(system, { app });
    const grant = durable().selectFrom('grants').select('id').where('client_id', '=', app.clientId);
    tokens.push({ token, grantId: (await grant.executeTakeFirstOrThrow()).id });
  }
  clock.advance(HOUR);
});

afterAll(() => system.stop());

const next = () => {
  const one = tokens.shift();
  if (!one) throw new Error('no token is left');
  return one;
};

/** Calls with that many new tokens at once; their statuses, and how often a refresh token was presented. */
async function callNext(count: number) {
  const before = sent();
  const calls = Array.from({ length: count }, () => read(system, '/1/profiles.json', next().token));
  const statuses = (await Promise.all(calls)).map(({ status }) => status);
  return { statuses: [...new Set(statuses)], sent: sent() - before };
}

async function loseNext(count: number): Promise<void> {
  loseAnswers(true);
  expect(await callNext(count)).toEqual({ statuses: [503], sent: count });
  loseAnswers(false);
}

test.each([900, HOUR])(
  'an answer that was lost %i ms ahead of the clock stops nobody, and a good one ends it',
  async (ahead) => {
    const { grantId } = tokens[0] as { grantId: string };
    await loseNext(1);
    const dated = { doubted_at: clock.now() + ahead };
    await durable().updateTable('grants').set(dated).where('id', '=', grantId).execute();
    expect(await callNext(3)).toEqual({ statuses: [200], sent: 3 });
    clock.advance(1000);
    expect(await callNext(1)).toEqual({ statuses: [200], sent: 1 });
    expect(await breaker()).toMatchObject({ doubts: 0, trippedAt: null });
  },
);

test('a breaker that was tripped ahead of the clock is opened by one good answer', async () => {
  const ahead = { tripped_at: clock.now() + HOUR, next_at: clock.now() + MINUTE, pause: MINUTE };
  await durable().updateTable('refresh_breaker').set(ahead).execute();
  expect((await findTurn(context())).kind).toBe('stopped');
  clock.advance(MINUTE);
  expect(await callNext(1)).toEqual({ statuses: [200], sent: 1 });
  expect(await breaker()).toMatchObject({ trippedAt: null });
});

/** A pair that came now and that the database could not take. */
async function spillNext(): Promise<string> {
  const { grantId } = next();
  const received = { accessToken: 'a', refreshToken: 'r', lifetime: HOUR, scope: 'account:read' };
  const pair = sealPair(context(), { id: grantId, version: 2, sentAt: clock.now() }, received);
  await context().spill.write({ grantId, version: 1, pair });
  return grantId;
}

test('a pair that came before the answers were lost opens nothing when it is stored', async () => {
  const grantId = await spillNext();
  clock.advance(1000);
  await loseNext(5);
  expect((await findTurn(context())).kind).toBe('stopped');
  clock.advance(1000);
  await recoverSpilledPairs(context());
  const grant = durable().selectFrom('grants').select('version').where('id', '=', grantId);
  expect(await grant.executeTakeFirst()).toEqual({ version: 2 });
  expect((await findTurn(context())).kind).toBe('stopped');
  expect((await breaker()).trippedAt).not.toBeNull();
  clock.advance(MINUTE);
  expect(await callNext(1)).toEqual({ statuses: [200], sent: 1 });
  expect((await findTurn(context())).kind).toBe('few');
});

/** From here on the database refuses each claim, and counts them. */
async function refuseClaims(): Promise<void> {
  await sql`create table refused_claims (at integer)`.execute(durable());
  await sql`create trigger refuse before update of state on grants when new.state = 'presenting' begin
    insert into refused_claims values (1); select raise(ignore); end`.execute(durable());
}

test('a claim that is refused again and again is tried after a pause each time, not in a loop', async () => {
  await refuseClaims();
  const refused = async () => (await sql`select at from refused_claims`.execute(durable())).rows.length;
  const begin = performance.now();
  const call = accessTokenFor(context(), { id: next().grantId });
  await until(async () => (await refused()) >= 5);
  const count = await refused();
  const pauses = (performance.now() - begin) / (LOOK_AGAIN - 2);
  await sql`drop trigger refuse`.execute(durable());
  await call;
  expect(count).toBeLessThanOrEqual(pauses + 1);
  system.proxy.assertNoRefreshTokenTwice();
});
