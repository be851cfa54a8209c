import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Clock } from '../../../src/shared/clock.ts';
import { startPlainProvider } from '../../upstream/plain-provider.ts';
import type { LegacyApp, Person } from '../callers/authorize.ts';
import { startEmbeddedModern } from '../servers/embedded-modern.ts';
import { freePort } from '../servers/free-port.ts';
import { BRIDGE_CLIENT, type OwnClient, type StartModernSide } from '../servers/modern-side.ts';
import { type RecordingProxy, startRecordingProxy } from '../servers/recording-proxy.ts';
import { registerLegacyApp } from './register-app.ts';
import type { BridgeLog } from './spawned-bridge.ts';
import { type StartedBridge, startTestBridge } from './started-bridge.ts';

/** The two modern sides that a test of the whole way can choose from. */
const modernSides = { embedded: startEmbeddedModern, plain: startPlainProvider } satisfies Record<
  string,
  StartModernSide
>;

export type ModernSideName = keyof typeof modernSides;

export interface SystemOptions {
  modern?: ModernSideName;
  accessTokenSeconds?: number;
  /** Makes the bridge a confidential client of the embedded modern side. */
  clientSecret?: string;
  /** Clients that apps have of their own at the embedded modern side. */
  ownClients?: readonly OwnClient[];
  /** Settings of the bridge beyond those that join it to the modern side. */
  env?: Record<string, string>;
  clock?: Clock;
  callback?: string;
  /** Where the bridge reaches the modern side, if not at the proxy itself: a way to the proxy that the test opens. */
  issuer?: string;
  /** Where the bridge logs, and from which level on. */
  log?: BridgeLog;
  /** Whom the bridge trusts for webhooks. A bridge of another process trusts NODE_EXTRA_CA_CERTS. */
  webhookAuthority?: string;
}

export interface System {
  bridge: StartedBridge;
  bridgeUrl: string;
  /** What `POST /token` of the modern side received. */
  proxy: RecordingProxy;
  /** An account at the modern side that can sign in and consent. */
  person: Person;
  app: LegacyApp;
  registerApp(callback: string): Promise<LegacyApp>;
  stop(): Promise<void>;
}

interface Modern {
  proxy: RecordingProxy;
  person: Person;
  close(): Promise<void>;
}

async function startModernSide(options: SystemOptions, redirectUri: string): Promise<Modern> {
  const [port, seen] = [await freePort(), await freePort()];
  const proxy = await startRecordingProxy(seen, `http://127.0.0.1:${port}`);
  const side = await modernSides[options.modern ?? 'embedded']({
    port,
    issuer: options.issuer ?? proxy.origin,
    redirectUri,
    accessTokenSeconds: options.accessTokenSeconds ?? 3600,
    ...(options.clientSecret && { clientSecret: options.clientSecret }),
    ...(options.ownClients && { ownClients: options.ownClients }),
  });
  return {
    proxy,
    person: side.person,
    close: async () => void (await Promise.all([proxy.close(), side.close()])),
  };
}

function settingsFor(bridgeUrl: string, varDir: string, modernUrl: string): Record<string, string> {
  return {
    PORT: new URL(bridgeUrl).port,
    PUBLIC_URL: bridgeUrl,
    VAR_DIR: varDir,
    MODERN_AUTH_URL: modernUrl,
    MODERN_API_URL: modernUrl,
    MODERN_CLIENT_ID: BRIDGE_CLIENT,
    LOG_LEVEL: 'error',
  };
}

/** A modern side, the recording proxy in front of it, the bridge, and one registered app, all on loopback. */
export async function startSystem(options: SystemOptions = {}): Promise<System> {
  const bridgeUrl = `http://127.0.0.1:${await freePort()}`;
  const modern = await startModernSide(options, `${bridgeUrl}/callback`);
  const varDir = mkdtempSync(join(tmpdir(), 'bridge-'));
  const secret = options.clientSecret && { MODERN_CLIENT_SECRET: options.clientSecret };
  const settings = settingsFor(bridgeUrl, varDir, options.issuer ?? modern.proxy.origin);
  const starting = startTestBridge({
    settings: { ...settings, ...secret, ...options.env },
    ...(options.clock && { clock: options.clock }),
    ...(options.log && { log: options.log }),
    ...(options.webhookAuthority && { webhookAuthority: options.webhookAuthority }),
  });
  // a modern side left open would keep the test process from ending
  const bridge = await starting.catch(async (error: unknown) => {
    await modern.close();
    throw error;
  });
  const registerApp = (callback: string) => registerLegacyApp(bridge, callback);
  return {
    bridge,
    bridgeUrl,
    proxy: modern.proxy,
    person: modern.person,
    app: await registerApp(options.callback ?? 'https://old-app.example/callback'),
    registerApp,
    async stop() {
      await bridge.close();
      await modern.close();
      rmSync(varDir, { recursive: true, force: true });
    },
  };
}
