import { type OldClient, signIn, startOldClient } from './old-client.ts';

describe('grant 5.4 with its own address table', () => {
  let old: OldClient;

  beforeAll(async () => {
    old = await startOldClient('grant.cjs', { callbackPath: '/connect/buffer/callback' });
  });

  afterAll(() => old.stop());

  test('grant signs a user in and hands its app a token and the profile', async () => {
    const { browser, callback } = await signIn(old, '/connect/buffer');
    const done = await browser.follow(await browser.get(callback));

    const response: unknown = JSON.parse(done.body);
    expect(response).toEqual({
      access_token: expect.stringMatching(/^1\/[0-9a-f]{32}$/),
      raw: { access_token: expect.stringMatching(/^1\/[0-9a-f]{32}$/) },
      profile: expect.objectContaining({ id: expect.any(String), _id: expect.any(String) }),
    });
    expect(old.seen).toEqual([
      'POST api.bufferapp.com /1/oauth2/token.json',
      'GET api.bufferapp.com /1/user.json',
    ]);
  });

  test('grant refuses a callback whose state was changed on the way', async () => {
    const { browser, callback } = await signIn(old, '/connect/buffer');
    const done = await browser.follow(await browser.get(callback.replace(/state=\w+/, 'state=other')));

    expect(JSON.parse(done.body)).toMatchObject({ error: 'Grant: OAuth2 state mismatch' });
  });

  test('grant tells its app that the account holder refused', async () => {
    const { browser, callback } = await signIn(old, '/connect/buffer', 'deny');
    const done = await browser.follow(await browser.get(callback));

    expect(JSON.parse(done.body)).toMatchObject({ error: 'access_denied' });
  });
});
