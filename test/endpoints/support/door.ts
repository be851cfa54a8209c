import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type AppCredentials, registerApp } from '../../../src/domain/apps/register-app.ts';
import type { LegacyApp } from '../../support/callers/authorize.ts';
import { startEmbeddedModern } from '../../support/servers/embedded-modern.ts';
import { freePort } from '../../support/servers/free-port.ts';
import { BRIDGE_CLIENT } from '../../support/servers/modern-side.ts';
import { startRecordingProxy } from '../../support/servers/recording-proxy.ts';
import { type BridgeOptions, startTestBridge } from '../../support/bridge/started-bridge.ts';
import type { System } from '../../support/bridge/system.ts';

/** The callback that docs/threats.md speaks of. */
export const CALLBACK = 'https://app.example.com/cb';

export interface DoorOptions extends Pick<BridgeOptions, 'clock' | 'log'> {
  env?: Record<string, string>;
  /** How long access tokens of the modern side live; an hour. */
  accessTokenSeconds?: number;
}

interface NewApp {
  name?: string;
  callbacks?: string[];
  fixed?: Partial<AppCredentials>;
}

export interface Door extends System {
  addApp(app?: NewApp): Promise<LegacyApp & { ownerToken: string }>;
}

const OWNER = '5e1f0c9a7b3d4e2f8a6c1d01';

let made = 0;

/** Values that an app is registered with where the test does not fix them. */
function valuesFor(fixed: Partial<AppCredentials>): AppCredentials {
  made += 1;
  const number = made.toString(16).padStart(8, '0');
  return {
    clientId: `4e9680c0512f7ed3${number}`,
    clientSecret: `a-secret-of-app-${number}-that-nobody-may-see`,
    ownerToken: `1/${'0123456789abcdef'.repeat(2).slice(8)}${number}`,
    ...fixed,
  };
}

async function addTo(bridge: System['bridge'], { name, callbacks, fixed }: NewApp) {
  const values = valuesFor(fixed ?? {});
  const wanted = callbacks ?? [CALLBACK];
  const registration = {
    name: name ?? 'Old app',
    callbacks: wanted,
    owner: OWNER,
    actor: 'test',
    requestId: null,
  };
  const registered = await registerApp(bridge.context, { ...registration, fixed: values });
  if (!registered) throw new Error('the app exists already');
  return { ...registered, callback: wanted[0] ?? '' };
}

async function startModern(redirectUri: string, accessTokenSeconds: number) {
  const [port, seen] = [await freePort(), await freePort()];
  const proxy = await startRecordingProxy(seen, `http://127.0.0.1:${port}`);
  const side = await startEmbeddedModern({
    port,
    issuer: proxy.origin,
    redirectUri,
    accessTokenSeconds,
  });
  const close = async () => void (await Promise.all([proxy.close(), side.close()]));
  return { proxy, person: side.person, close };
}

/** A modern side, the bridge and one registered app on loopback; limits of calls are off unless set. */
export async function openDoor({
  env = {},
  accessTokenSeconds = 3600,
  ...options
}: DoorOptions = {}): Promise<Door> {
  const port = await freePort();
  const bridgeUrl = `http://127.0.0.1:${port}`;
  const modern = await startModern(`${env['PUBLIC_URL'] ?? bridgeUrl}/callback`, accessTokenSeconds);
  const folder = mkdtempSync(join(tmpdir(), 'door-'));
  const settings = {
    PORT: String(port),
    PUBLIC_URL: bridgeUrl,
    VAR_DIR: folder,
    MODERN_AUTH_URL: modern.proxy.origin,
    MODERN_API_URL: modern.proxy.origin,
    MODERN_CLIENT_ID: BRIDGE_CLIENT,
    LEGACY_RATE_LIMIT: '0',
    LOG_LEVEL: 'error',
    ...env,
  };
  const bridge = await startTestBridge({ ...options, settings });
  const addApp = (app: NewApp = {}) => addTo(bridge, app);
  return {
    bridge,
    bridgeUrl,
    proxy: modern.proxy,
    person: modern.person,
    app: await addApp(),
    addApp,
    registerApp: (callback) => addApp({ callbacks: [callback] }),
    async stop() {
      await bridge.close();
      await modern.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
