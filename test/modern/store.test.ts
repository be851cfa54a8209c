import { statSync } from 'node:fs';
import { CookieWalker } from '../support/cookie-walker.ts';
import {
  apiStatus,
  authorizationUrl,
  bytesAtRest,
  CLIENT_SECRET,
  consent,
  DEMO,
  exchange,
  obtainTokens,
  open,
  refresh,
  runModern,
  send,
} from './support/modern.ts';

describe('what is kept', () => {
  test('a restart keeps grants, tokens, accounts and keys', async () => {
    const before = await runModern();
    const tokens = await obtainTokens({ base: before.server.url });
    const { port } = before.server;
    await before.server.close();
    const { databaseFile } = before.settings;
    const after = await runModern({ databaseFile, port, issuer: before.server.url });
    const base = after.server.url;
    expect(await apiStatus(base, tokens['access_token'])).toBe(200);
    const refreshed = await refresh(base, tokens['refresh_token']);
    expect(refreshed.status).toBe(200);
    expect((await refresh(base, tokens['refresh_token'])).body['error']).toBe('invalid_grant');
    await after.stop();
    await before.stop().catch(() => undefined);
  });

  test('no token, code, cookie, secret or password lies in the clear in the database files', async () => {
    const modern = await runModern();
    const base = modern.server.url;
    const browser = new CookieWalker();
    const unused = await consent({ base, browser });
    const given = await consent({ base, browser });
    const { body } = await exchange(base, given);
    const refreshed = await refresh(base, body['refresh_token']);
    const waiting = await open(browser, authorizationUrl(base));
    await send(browser, waiting, 'cancel');
    const half = await open(new CookieWalker(), authorizationUrl(base));
    const secrets = {
      code: given.code,
      unusedCode: unused.code,
      accessToken: body['access_token'],
      refreshToken: body['refresh_token'],
      newAccessToken: refreshed.body['access_token'],
      newRefreshToken: refreshed.body['refresh_token'],
      clientSecret: CLIENT_SECRET,
      password: DEMO.password,
      session: browser.cookie('modern_session'),
      interaction: new URL(half.url).pathname.split('/').at(-1),
    };
    const bytes = bytesAtRest(modern.folder);
    for (const [name, value] of Object.entries(secrets)) {
      expect(String(value).length).toBeGreaterThan(10);
      expect([name, bytes.includes(String(value))]).toEqual([name, false]);
    }
    expect(bytes).toContain('Dana Demo');
    await modern.stop();
  });

  test('database and keys can be read by their owner alone', async () => {
    const modern = await runModern();
    const { databaseFile } = modern.settings;
    const files = [databaseFile, `${databaseFile}-wal`, `${databaseFile}.keys.json`];
    expect(files.map((file) => statSync(file).mode & 0o777)).toEqual([0o600, 0o600, 0o600]);
    await modern.stop();
  });

  test('the demo credentials come with the started server, and only with the demo', async () => {
    const demo = await runModern();
    const plain = await runModern({ demo: false });
    expect(demo.server.demo).toEqual(DEMO);
    expect(plain.server.demo).toBeUndefined();
    await Promise.all([demo.stop(), plain.stop()]);
  });

  test('a port that is taken is reported', async () => {
    const first = await runModern();
    await expect(runModern({ port: first.server.port })).rejects.toMatchObject({ code: 'EADDRINUSE' });
    await first.stop();
  });
});
