import { issueToken, read } from '../support/callers/legacy-calls.ts';
import { SettableClock } from '../support/bridge/settable-clock.ts';
import { startSystem, type System } from '../support/bridge/system.ts';

/**
 * A grant in doubt at a server that can be asked: introspection decides, whatever else stands on the client
 * (docs/decisions/0005).
 */

let system: System;
let clock: SettableClock;

beforeAll(async () => {
  clock = new SettableClock();
  const env = { PROFILES_FRESH_SECONDS: '0', LEGACY_RATE_LIMIT: '0' };
  system = await startSystem({ clock, env, clientSecret: 'a-secret-of-the-bridge-for-this-test' });
  await issueToken(system, { app: await system.registerApp('https://sibling.example/callback') });
});

afterAll(() => system.stop());

beforeEach(() => clock.set(Date.now()));

const cut = () => {
  throw new Error('cut');
};

/** A token whose refresh was cut, on the way there or on the way back. */
async function tokenInDoubt(where: 'onTokenCall' | 'onTokenAnswer'): Promise<string> {
  const token = await issueToken(system);
  await read(system, '/1/profiles.json', token);
  clock.advance(3_700_000);
  system.proxy[where] = cut;
  expect((await read(system, '/1/profiles.json', token)).status).toBe(200);
  system.proxy[where] = undefined;
  clock.advance(301_000);
  return token;
}

test('a token that never arrived is live, is presented once more, and the grant recovers', async () => {
  const token = await tokenInDoubt('onTokenCall');
  const before = system.proxy.refreshes().length;
  const answer = await read(system, '/1/profiles.json', token);
  expect(answer.status).toBe(200);
  expect(answer.headers['age']).toBeUndefined();
  expect(system.proxy.refreshes().length - before).toBe(1);
});

test('a token whose answer was lost is spent, is never presented again, and re-authorization is asked for', async () => {
  const token = await tokenInDoubt('onTokenAnswer');
  const before = system.proxy.refreshes().length;
  const answer = await read(system, '/1/profiles.json', token);
  expect(answer.status).toBe(401);
  expect(answer.json).toMatchObject({
    code: 401,
    reauthorize: { link: `${system.bridgeUrl}/apps/${system.app.clientId}` },
  });
  expect(system.proxy.refreshes().length - before).toBe(0);
  const { durable } = system.bridge.context.store;
  const dead = await durable
    .selectFrom('grants')
    .select('dead_cause')
    .where('dead_cause', '=', 'lost')
    .execute();
  expect(dead).toHaveLength(1);
});

test('a refused client is no server without introspection: the grant waits, and nothing is presented', async () => {
  const token = await tokenInDoubt('onTokenCall');
  const before = system.proxy.refreshes().length;
  const refused = { error: 'invalid_client' };
  system.proxy.insteadOfOther = ({ path }) =>
    path === '/token/introspection'
      ? {
          status: 401,
          headers: { 'content-type': 'application/json' },
          body: Buffer.from(JSON.stringify(refused)),
        }
      : undefined;
  expect((await read(system, '/1/profiles.json', token)).headers['age']).toBeDefined();
  expect(system.proxy.refreshes().length - before).toBe(0);
  system.proxy.insteadOfOther = undefined;
  clock.advance(30_000);
  const answer = await read(system, '/1/profiles.json', token);
  expect([answer.status, answer.headers['age']]).toEqual([200, undefined]);
  expect(system.proxy.refreshes().length - before).toBe(1);
});
