import { statSync } from 'node:fs';
import type { ModernSettings } from '../../src/modern/settings.ts';
import { CookieWalker } from '../support/callers/cookie-walker.ts';
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
  type Running,
  runModern,
  send,
} from './support/modern.ts';

const running: Running[] = [];
async function start(overrides?: Partial<ModernSettings>): Promise<Running> {
  const started = await runModern(overrides);
  running.push(started);
  return started;
}
afterEach(() => Promise.all(running.splice(0).map((started) => started.stop())));

describe('what is kept', () => {
  test('a restart keeps grants, tokens, accounts and keys', async () => {
    const before = await start();
    const tokens = await obtainTokens({ base: before.server.url });
    await before.server.close();
    const after = await start({ databaseFile: before.settings.databaseFile });
    const base = after.server.url;
    expect(await apiStatus(base, tokens['access_token'])).toBe(200);
    const refreshed = await refresh(base, tokens['refresh_token']);
    expect(refreshed.status).toBe(200);
    expect((await refresh(base, tokens['refresh_token'])).body['error']).toBe('invalid_grant');
  });

  test('no token, code, cookie, secret or password lies in the clear in the database files', async () => {
    const modern = await start();
    const base = modern.server.url;
    const browser = new CookieWalker();
    const unused = await consent({ base, browser });
    const given = await consent({ base, browser });
    const { body } = await exchange(base, given);
    const refreshed = await refresh(base, body['refresh_token']);
    const waiting = await open(browser, authorizationUrl(base));
    await send(browser, waiting, { step: 'cancel' });
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
  });

  test('database and keys can be read by their owner alone', async () => {
    const modern = await start();
    const { databaseFile } = modern.settings;
    const files = [databaseFile, `${databaseFile}-wal`, `${databaseFile}.keys.json`];
    expect(files.map((file) => statSync(file).mode & 0o777)).toEqual([0o600, 0o600, 0o600]);
  });

  test('the demo credentials come with the started server, and only with the demo', async () => {
    const demo = await start();
    const plain = await start({ demo: false });
    expect(demo.server.demo).toMatchObject(DEMO);
    expect(plain.server.demo).toBeUndefined();
  });

  test('a port that is taken is reported', async () => {
    const first = await start();
    await expect(start({ port: first.server.port })).rejects.toThrow(
      /^MODERN_PORT: port \d+ on .+ is taken by another program$/,
    );
  });
});
