import { CookieWalker } from '../support/callers/cookie-walker.ts';
import {
  authorizeIn,
  exchange,
  freshCode,
  issueToken,
  read,
  tokenOf,
} from '../support/callers/legacy-calls.ts';
import { sendRaw } from '../support/callers/raw-request.ts';
import { expireGrantsOf } from '../support/bridge/expire-grants.ts';
import { type System, startSystem } from '../support/bridge/system.ts';

describe('the bridge in front of a plain oidc-provider', () => {
  let system: System;

  beforeAll(async () => {
    system = await startSystem({
      modern: 'plain',
      env: { PROFILES_FRESH_SECONDS: '0', LEGACY_RATE_LIMIT: '0' },
    });
  });

  afterAll(() => system.stop());

  test('the account holder authorizes, and code and state come back in the recorded form', async () => {
    const answer = await authorizeIn(system, { state: 'a b/c+d%' });

    expect(answer.code).toMatch(/^1\/[A-Za-z0-9]{32}$/);
    expect(new URL(answer.location).searchParams.get('state')).toBe('a b/c+d%');
  });

  test.each(['approval', 'consent'] as const)(
    'a refusal of the %s is access_denied with the state',
    async (refuse) => {
      const answer = await authorizeIn(system, { state: 's1', refuse });

      expect(answer).toMatchObject({ error: 'access_denied', state: 's1', code: undefined });
    },
  );

  test('the code is exchanged once for a token that reads profiles and user', async () => {
    const code = await freshCode(system);
    const issued = await exchange(system, code);
    expect(issued).toMatchObject({
      status: 200,
      text: expect.stringMatching(/^\{"access_token":"1\/[0-9a-f]{32}"\}$/),
    });
    expect(await exchange(system, code)).toMatchObject({ status: 400, json: { error: 'invalid_grant' } });

    const token = tokenOf(issued);
    expect(await read(system, '/1/profiles.json', token)).toMatchObject({
      status: 200,
      json: expect.any(Array),
    });
    expect(await read(system, '/1/user.json', token)).toMatchObject({
      status: 200,
      json: { id: system.person.login },
    });
  });

  test('an expired access token is refreshed without the old client noticing', async () => {
    const token = await issueToken(system);
    const before = system.proxy.refreshes().length;
    await expireGrantsOf(system.bridge.context);

    expect(await read(system, '/1/profiles.json', token)).toMatchObject({
      status: 200,
      json: expect.any(Array),
    });
    expect(system.proxy.refreshes().length).toBeGreaterThan(before);
    system.proxy.assertNoRefreshTokenTwice();
  });

  test('a second consent of the same account leaves the older token alive', async () => {
    const browser = new CookieWalker();
    const older = await issueToken(system, { browser });
    const newer = await issueToken(system, { browser });
    await expireGrantsOf(system.bridge.context);

    expect(await read(system, '/1/profiles.json', older)).toMatchObject({ status: 200 });
    expect(await read(system, '/1/profiles.json', newer)).toMatchObject({ status: 200 });
    system.proxy.assertNoRefreshTokenTwice();
  });

  test('deauthorizing one app leaves another app of the same account alive, though both share one provider grant', async () => {
    const browser = new CookieWalker();
    const app = await system.registerApp('https://other-app.example/callback');
    const kept = await issueToken(system, { app, browser });
    const dropped = await issueToken(system, { browser });
    const answer = await sendRaw(system.bridgeUrl, {
      method: 'POST',
      path: '/1/user/deauthorize.json',
      headers: { authorization: `Bearer ${dropped}` },
    });
    expect(answer).toMatchObject({ status: 200, json: { success: true } });
    await expireGrantsOf(system.bridge.context);

    expect(await read(system, '/1/profiles.json', dropped)).toMatchObject({
      status: 401,
      json: { code: 401 },
    });
    expect(await read(system, '/1/profiles.json', kept)).toMatchObject({ status: 200 });
    system.proxy.assertNoRefreshTokenTwice();
  });
});
