import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readConfig } from '../../src/config/config.ts';
import { createLogger } from '../../src/shared/log/logger.ts';
import { openContext, type OpenContext } from '../../src/app/open-context.ts';
import { copyBuild } from '../verification/shared/build-copy.ts';
import { type CampaignBridge, startCampaignBridge } from '../verification/crash-campaign/campaign-bridge.ts';
import { authorize, type LegacyApp, type Person } from '../support/callers/authorize.ts';
import { CookieWalker } from '../support/callers/cookie-walker.ts';
import { freshDatabase, type TestDatabase } from '../support/database/database.ts';
import { startEmbeddedModern } from '../support/servers/embedded-modern.ts';
import { freePort } from '../support/servers/free-port.ts';
import { BRIDGE_CLIENT, type ModernSide } from '../support/servers/modern-side.ts';
import { type RecordingProxy, startRecordingProxy } from '../support/servers/recording-proxy.ts';
import { registerLegacyApp } from '../support/bridge/register-app.ts';
import { confirm, exchange, OWN_CLIENT, useOwnClient } from './support/own-client.ts';
import { databasesOf } from '../support/jest/test-mode.ts';

/**
 * A bridge that is killed at every step of a hand-over, by a real signal in a process of its own: whoever looks
 * afterwards finds one owner of the pair, and a repeated call gives the app what it was owed.
 */

const CALLBACK = 'https://old-app.example/callback';

/** Before the commit the bridge owns the pair, from it on the app does. */
const STEPS = [
  ['handover.before', 'bridge'],
  ['handover-claim.before', 'bridge'],
  ['handover-claim.after', 'bridge'],
  ['handover-record.before', 'bridge'],
  ['handover-record.after', 'bridge'],
  ['commit.before', 'bridge'],
  ['commit.after', 'app'],
  ['handover.after', 'app'],
] as const;

const STEPS_OF_CONFIRMATION = [
  ['handover-confirmation.before', 'kept'],
  ['handover-erasing.before', 'kept'],
  ['handover-erasing.after', 'kept'],
  ['commit.before', 'kept'],
  ['commit.after', 'erased'],
  ['handover-confirmation.after', 'erased'],
] as const;

const pairOf = (answer: { json: unknown }) =>
  (answer.json as Record<string, unknown>)['refresh_token'] as string;

let build: string;

beforeAll(() => {
  build = copyBuild();
});

afterAll(() => rmSync(build, { recursive: true, force: true }));

describe.each(databasesOf('postgres'))('on %s', (kind) => {
  let folder: string;
  let database: TestDatabase | undefined;
  let modern: ModernSide;
  let proxy: RecordingProxy;
  let bridge: CampaignBridge;
  let opened: OpenContext;
  let app: LegacyApp;
  let person: Person;
  const browser = new CookieWalker();

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'hand-over-'));
    database = kind === 'postgres' ? await freshDatabase() : undefined;
    const [port, modernPort, proxyPort] = [await freePort(), await freePort(), await freePort()];
    const url = `http://127.0.0.1:${port}`;
    proxy = await startRecordingProxy(proxyPort, `http://127.0.0.1:${modernPort}`);
    modern = await startEmbeddedModern({
      port: modernPort,
      issuer: proxy.origin,
      redirectUri: `${url}/callback`,
      accessTokenSeconds: 3600,
      ownClients: [OWN_CLIENT],
    });
    person = modern.person;
    const settings = {
      PORT: String(port),
      PUBLIC_URL: url,
      VAR_DIR: folder,
      MODERN_AUTH_URL: proxy.origin,
      MODERN_API_URL: proxy.origin,
      MODERN_CLIENT_ID: BRIDGE_CLIENT,
      PROFILES_FRESH_SECONDS: '0',
      LEGACY_RATE_LIMIT: '0',
      LOG_LEVEL: 'error',
      ...(database && { DATABASE_URL: database.url }),
    };
    const options = { folder: build, index: 0, settings, sabotage: '', wasDatabaseAwaySince: () => false };
    bridge = startCampaignBridge(options);
    await bridge.up();
    const config = readConfig(settings);
    if (!config.upstream) throw new Error('no upstream');
    opened = await openContext(config, config.upstream, {
      logger: createLogger({ level: 'error', name: 't' }),
    });
    const own = { ...opened, url };
    app = await registerLegacyApp(own, CALLBACK);
    await useOwnClient({ bridge: own as never, app }, OWN_CLIENT);
  });

  afterAll(async () => {
    await opened.close();
    await bridge.end();
    await modern.close();
    await proxy.close();
    await database?.drop();
    rmSync(folder, { recursive: true, force: true });
  });

  async function issue(): Promise<string> {
    const { code } = await authorize({ bridgeUrl: bridge.url, app, person, browser });
    const body = new URLSearchParams({
      client_id: app.clientId,
      client_secret: app.clientSecret,
      redirect_uri: app.callback,
      code: decodeURIComponent(code ?? ''),
      grant_type: 'authorization_code',
    });
    const answer = await fetch(`${bridge.url}/1/oauth2/token.json`, { method: 'POST', body });
    return ((await answer.json()) as { access_token: string }).access_token;
  }

  const statusOf = async (token: string) =>
    (await fetch(`${bridge.url}/1/user.json`, { headers: { authorization: `Bearer ${token}` } })).status;

  /** Does something that meets the trap, and waits until the bridge serves again. */
  async function killedAt(point: string, act: () => Promise<unknown>): Promise<void> {
    await bridge.order({ traps: [{ point, action: 'kill', database: kind } as never] });
    await expect(act()).rejects.toThrow();
    await bridge.up();
    expect(bridge.newNotes().map((note) => ('point' in note ? note.point : undefined))).toContain(point);
  }

  async function refreshAsApp(refreshToken: string): Promise<number> {
    const body = new URLSearchParams({
      grant_type: 'refresh_token',
      refresh_token: refreshToken,
      client_id: OWN_CLIENT.clientId,
      client_secret: OWN_CLIENT.clientSecret,
    });
    return (await fetch(`${proxy.origin}/token`, { method: 'POST', body })).status;
  }

  test.each(STEPS)(
    'killed at %s: the %s owns the pair, and the next call gives it to the app',
    async (point, owner) => {
      const token = await issue();
      expect(await statusOf(token)).toBe(200);
      await killedAt(point, () => exchange(bridge.url, token));
      expect(await statusOf(token)).toBe(owner === 'bridge' ? 200 : 401);
      const handed = await exchange(bridge.url, token);
      expect([handed.status, await statusOf(token)]).toEqual([200, 401]);
      expect(pairOf(await exchange(bridge.url, token))).toBe(pairOf(handed));
      expect(await refreshAsApp(pairOf(handed))).toBe(200);
      proxy.assertNoRefreshTokenTwice();
    },
  );

  test.each(STEPS_OF_CONFIRMATION)(
    'killed at %s of the confirmation: the pair is %s',
    async (point, state) => {
      const token = await issue();
      const handed = await exchange(bridge.url, token);
      await killedAt(point, () => confirm(bridge.url, token));
      expect((await exchange(bridge.url, token)).status).toBe(state === 'kept' ? 200 : 400);
      expect((await confirm(bridge.url, token)).status).toBe(200);
      expect((await exchange(bridge.url, token)).status).toBe(400);
      expect(await refreshAsApp(pairOf(handed))).toBe(200);
    },
  );
});
