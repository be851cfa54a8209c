import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { openContext } from '../../../src/app/open-context.ts';
import { readConfig } from '../../../src/config/config.ts';
import type { Context } from '../../../src/domain/context.ts';
import { registerApp } from '../../../src/domain/apps/register-app.ts';
import { createLogger } from '../../../src/shared/log/logger.ts';
import type { Grant } from '../../../src/store/tables/tables.ts';
import { authorize, type LegacyApp, type Person } from '../../support/callers/authorize.ts';
import { type BridgeProcess, startBridgeProcess } from '../../support/bridge/bridge-process.ts';
import { CookieWalker } from '../../support/callers/cookie-walker.ts';
import { startEmbeddedModern } from '../../support/servers/embedded-modern.ts';
import { freePort, portOf } from '../../support/servers/free-port.ts';
import { exchangeFields, tokenOf } from '../../support/callers/legacy-calls.ts';
import { BRIDGE_CLIENT } from '../../support/servers/modern-side.ts';
import { type RawAnswer, rawForm, sendRaw } from '../../support/callers/raw-request.ts';
import { type RecordingProxy, startRecordingProxy } from '../../support/servers/recording-proxy.ts';
import type { Settings } from '../running-program.ts';

/** One modern side, and bridges by their settings alone, each in a folder of its own, for tests of copies. */

const CALLBACK = 'https://old-app.example/callback';
const CLIENT_SECRET = 'a-secret-of-the-bridge-for-this-test';

/** The way of one bridge to the modern side, on which every connection counts, whatever it would say. */
interface CountedWay {
  origin: string;
  connections: number;
  close(): void;
}

export type PlaceSettings = Settings & { PORT: string; PUBLIC_URL: string; VAR_DIR: string };

export interface Ground {
  proxy: RecordingProxy;
  person: Person;
  browser: CookieWalker;
  /** Settings of a bridge in a new folder; the first one's callback is the one that the modern side knows. */
  place(name: string, given?: Settings): Promise<PlaceSettings>;
  countedWay(): Promise<CountedWay>;
  /** Starts the built bridge there; it is gone when the ground is closed. */
  start(settings: PlaceSettings): Promise<BridgeProcess>;
  close(): Promise<void>;
}

async function countTo(target: string): Promise<CountedWay> {
  const server = createServer((client) => {
    way.connections += 1;
    const upstream = connect(Number(new URL(target).port), '127.0.0.1');
    client.pipe(upstream).pipe(client);
    for (const socket of [client, upstream]) socket.on('error', () => undefined);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const way: CountedWay = {
    origin: `http://127.0.0.1:${portOf(server)}`,
    connections: 0,
    close: () => void server.close(),
  };
  return way;
}

/** Starts the modern side, where the bridge is a confidential client, so that introspection answers it. */
export async function prepareGround(): Promise<Ground> {
  const folder = mkdtempSync(join(tmpdir(), 'copies-'));
  const [port, seen, PORT] = [await freePort(), await freePort(), String(await freePort())];
  const proxy = await startRecordingProxy(seen, `http://127.0.0.1:${port}`);
  const side = await startEmbeddedModern({
    port,
    issuer: proxy.origin,
    redirectUri: `http://127.0.0.1:${PORT}/callback`,
    accessTokenSeconds: 3600,
    clientSecret: CLIENT_SECRET,
  });
  const ways: CountedWay[] = [];
  const running: BridgeProcess[] = [];
  const ports = [PORT];
  return {
    proxy,
    person: side.person,
    browser: new CookieWalker(),
    async place(name, given = {}) {
      const own = ports.pop() ?? String(await freePort());
      return {
        PORT: own,
        PUBLIC_URL: `http://127.0.0.1:${own}`,
        VAR_DIR: join(folder, name),
        MODERN_AUTH_URL: proxy.origin,
        MODERN_API_URL: proxy.origin,
        MODERN_CLIENT_ID: BRIDGE_CLIENT,
        MODERN_CLIENT_SECRET: CLIENT_SECRET,
        LEGACY_RATE_LIMIT: '0',
        PROFILES_FRESH_SECONDS: '0',
        IN_DOUBT_QUIET_SECONDS: '1',
        LOG_LEVEL: 'warn',
        ...given,
      };
    },
    async countedWay() {
      const way = await countTo(proxy.origin);
      ways.push(way);
      return way;
    },
    async start(settings) {
      const bridge = await startBridgeProcess({ settings });
      running.push(bridge);
      return bridge;
    },
    async close() {
      for (const bridge of running) await bridge.kill();
      for (const way of ways) way.close();
      await Promise.all([proxy.close(), side.close()]);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** The database and keys of a place in this process, which serves nothing there. */
export async function inPlace<T>(settings: Settings, work: (context: Context) => Promise<T>): Promise<T> {
  const config = readConfig(settings);
  if (!config.upstream) throw new Error('the settings name no modern side');
  const logger = createLogger({ level: 'error', name: 'test', stream: new PassThrough().resume() });
  const opened = await openContext(config, config.upstream, { logger });
  try {
    return await work(opened.context);
  } finally {
    await opened.close();
  }
}

/** Registers an app at a place. */
export async function newApp(settings: Settings): Promise<LegacyApp> {
  return inPlace(settings, async (context) => {
    const asked = {
      name: 'Old App',
      callbacks: [CALLBACK],
      owner: 'owner@old-app.example',
      actor: 'test',
      requestId: null,
    };
    const registered = await registerApp(context, asked);
    if (!registered) throw new Error('a registration without a fixed id is never refused as known');
    return { ...registered, callback: CALLBACK };
  });
}

/** A code as an app reads it from its callback. */
export async function codeFor({ person, browser }: Ground, bridgeUrl: string, app: LegacyApp) {
  const { code, location } = await authorize({ bridgeUrl, app, person, browser });
  if (code === undefined) throw new Error(`no code in ${location}`);
  return decodeURIComponent(code);
}

export async function exchangeAt(bridgeUrl: string, app: LegacyApp, code: string): Promise<RawAnswer> {
  const body = new URLSearchParams(exchangeFields(app, code)).toString();
  return sendRaw(bridgeUrl, { method: 'POST', path: '/1/oauth2/token.json', ...rawForm(body) });
}

/** A token of an app with a grant of its own behind it. */
export async function tokenFor(ground: Ground, bridgeUrl: string, app: LegacyApp): Promise<string> {
  return tokenOf(await exchangeAt(bridgeUrl, app, await codeFor(ground, bridgeUrl, app)));
}

export async function callWith(token: string, bridgeUrl: string, path = '/1/profiles.json') {
  return sendRaw(bridgeUrl, { path, headers: { authorization: `Bearer ${token}` } });
}

export const grantsAt = (settings: PlaceSettings): Promise<Grant[]> =>
  inPlace(settings, ({ store }) => store.durable.selectFrom('grants').selectAll().orderBy('id').execute());

const DUE = { access_expires_at: 0, refresh_at: 0, rotated_at: 0 };

/** Makes everything due that a bridge does by itself or for a caller. */
export async function makeAllDue(settings: PlaceSettings): Promise<void> {
  await inPlace(settings, ({ store }) => store.durable.updateTable('grants').set(DUE).execute());
}

/** Makes due what stands on the grants of some apps, and nothing that the bridge would refresh beside them. */
export async function makeDue(settings: PlaceSettings, clientIds: readonly string[]): Promise<void> {
  await inPlace(settings, ({ store }) =>
    store.durable.updateTable('grants').set(DUE).where('client_id', 'in', clientIds).execute(),
  );
}

/** The key file of one place for another, as a restore needs it. */
export function copyKeys(from: PlaceSettings, to: PlaceSettings): void {
  mkdirSync(to.VAR_DIR, { recursive: true });
  copyFileSync(join(from.VAR_DIR, 'keys.json'), join(to.VAR_DIR, 'keys.json'));
}

export const ready = async (bridge: BridgeProcess) => sendRaw(bridge.url, { path: '/ready' });
