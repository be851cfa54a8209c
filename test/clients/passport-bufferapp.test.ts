import { type OldClient, signIn, startOldClient } from './old-client.ts';

describe('passport-bufferapp 0.1 with its built-in addresses', () => {
  let old: OldClient;

  beforeAll(async () => {
    old = await startOldClient('passport-bufferapp.cjs', { callbackPath: '/auth/bufferapp/callback' });
  });

  afterAll(() => old.stop());

  test('passport-bufferapp signs a user in, without a state and with the token in the query string', async () => {
    const { browser, callback } = await signIn(old, '/auth/bufferapp');
    expect(callback).toMatch(/\?code=1\/[A-Za-z0-9]{32}$/);

    const done = await browser.get(callback);
    expect(JSON.parse(done.body)).toMatchObject({
      provider: 'bufferapp',
      accessToken: expect.stringMatching(/^1\/[0-9a-f]{32}$/),
      id: expect.stringMatching(/./),
    });
    expect(old.seen).toEqual([
      'POST api.bufferapp.com /1/oauth2/token.json',
      'GET api.bufferapp.com /1/user.json',
    ]);
  });

  test('passport-bufferapp is sent back without a user when the account holder refuses', async () => {
    const { browser, callback } = await signIn(old, '/auth/bufferapp', 'deny');
    expect(callback).toContain('error=access_denied');

    expect(await browser.get(callback)).toMatchObject({ status: 401 });
  });

  test('passport-bufferapp gets no second sign-in from a reloaded callback page', async () => {
    const { browser, callback } = await signIn(old, '/auth/bufferapp');
    expect(await browser.get(callback)).toMatchObject({ status: 200 });

    expect(await browser.get(callback)).toMatchObject({
      status: 500,
      body: expect.stringContaining('access token'),
    });
  });
});
