import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { openContext } from '../../src/app/open-context.ts';
import { readConfig } from '../../src/config/config.ts';
import type { Context } from '../../src/domain/context.ts';
import { registerApp } from '../../src/domain/apps/register-app.ts';
import { createLogger } from '../../src/shared/log/logger.ts';
import { buildProgram } from '../processes/running-program.ts';
import type { LegacyApp, Person } from '../support/callers/authorize.ts';
import {
  type BridgeProcess,
  type ProcessOptions,
  type Settings,
  startBridgeProcess,
} from '../support/bridge/bridge-process.ts';
import { freshDatabase } from '../support/database/database.ts';
import { startEmbeddedModern } from '../support/servers/embedded-modern.ts';
import { freePort } from '../support/servers/free-port.ts';
import { BRIDGE_CLIENT } from '../support/servers/modern-side.ts';
import { type RecordingProxy, startRecordingProxy } from '../support/servers/recording-proxy.ts';

/** Several processes of the bridge on one database, in front of one modern side in the test's own process. */

export type DatabaseKind = 'sqlite' | 'postgres';

export interface BridgesOptions {
  count: number;
  database: DatabaseKind;
  /** Settings beyond those that join the processes to each other and to the modern side. */
  env?: Settings;
}

export interface Bridges {
  processes: BridgeProcess[];
  proxy: RecordingProxy;
  /** The modern side's own address, past the proxy. */
  modernUrl: string;
  person: Person;
  app: LegacyApp;
  varDir: string;
  /** What the first process was started with. */
  settings: ProcessOptions['settings'];
  /** The same database and keys in this process, which serves nothing and runs no job. */
  context: Context;
  registerApp(): Promise<LegacyApp>;
  stop(): Promise<void>;
}

const CALLBACK = 'https://old-app.example/callback';

/** What was opened, closed in the opposite order, also when a later part could not be opened. */
class Opened {
  readonly #closings: Array<() => unknown> = [];
  add<T>(thing: T, close: (thing: T) => unknown): T {
    this.#closings.unshift(() => close(thing));
    return thing;
  }
  async close(): Promise<void> {
    for (const close of this.#closings.splice(0)) await close();
  }
}

async function databaseUrl(kind: DatabaseKind, varDir: string, opened: Opened): Promise<string> {
  if (kind === 'sqlite') return `sqlite:${varDir}/bridge.db`;
  return opened.add(await freshDatabase(), (database) => database.drop()).url;
}

async function startModernSide(publicUrl: string, opened: Opened) {
  const [port, seen] = [await freePort(), await freePort()];
  const proxy = await startRecordingProxy(seen, `http://127.0.0.1:${port}`);
  opened.add(proxy, () => proxy.close());
  const redirectUri = `${publicUrl}/callback`;
  const side = await startEmbeddedModern({
    port,
    issuer: proxy.origin,
    redirectUri,
    accessTokenSeconds: 3600,
  });
  opened.add(side, () => side.close());
  return { proxy, person: side.person, modernUrl: side.url };
}

function openLaneContext(settings: Settings, opened: Opened) {
  const config = readConfig(settings);
  if (!config.upstream) throw new Error('the settings name no modern side');
  const logger = createLogger({ level: 'error', name: 'test', stream: new PassThrough().resume() });
  return openContext(config, config.upstream, { logger }).then(
    (one) => opened.add(one, () => one.close()).context,
  );
}

async function register(context: Context): Promise<LegacyApp> {
  const owner = 'owner@old-app.example';
  const registered = await registerApp(context, {
    name: 'Old App',
    callbacks: [CALLBACK],
    owner,
    actor: 'test',
    requestId: null,
  });
  if (!registered) throw new Error('a registration without a fixed id is never refused as known');
  return { ...registered, callback: CALLBACK };
}

async function startAll(settings: ProcessOptions['settings'], count: number, opened: Opened) {
  const ports = [settings.PORT];
  while (ports.length < count) ports.push(String(await freePort()));
  const starting = ports.map((PORT) => startBridgeProcess({ settings: { ...settings, PORT } }));
  const started = await Promise.allSettled(starting);
  const processes = started.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []));
  opened.add(processes, () => Promise.all(processes.map((each) => each.kill())));
  await Promise.all(starting);
  return processes;
}

async function open(options: BridgesOptions, opened: Opened): Promise<Omit<Bridges, 'stop'>> {
  await buildProgram();
  const varDir = mkdtempSync(join(tmpdir(), 'bridges-'));
  opened.add(varDir, () => rmSync(varDir, { recursive: true, force: true }));
  const PORT = String(await freePort());
  const PUBLIC_URL = `http://127.0.0.1:${PORT}`;
  const modern = await startModernSide(PUBLIC_URL, opened);
  const settings = {
    PORT,
    PUBLIC_URL,
    VAR_DIR: varDir,
    DATABASE_URL: await databaseUrl(options.database, varDir, opened),
    KEYS_FILE: join(varDir, 'keys.json'),
    MODERN_AUTH_URL: modern.proxy.origin,
    MODERN_API_URL: modern.proxy.origin,
    MODERN_CLIENT_ID: BRIDGE_CLIENT,
    LEGACY_RATE_LIMIT: '0',
    PROFILES_FRESH_SECONDS: '0',
    PROFILES_STALE_SECONDS: '0',
    LOG_LEVEL: 'warn',
    ...options.env,
  };
  const context = await openLaneContext(settings, opened);
  const processes = await startAll(settings, options.count, opened);
  const app = await register(context);
  return { processes, ...modern, app, varDir, settings, context, registerApp: () => register(context) };
}

/**
 * Starts a modern side, the recording proxy in front of it, and that many processes on one fresh database with one key
 * file. No answer is cached and no last known answer stands in for a failure, unless the settings say so.
 */
export async function startBridges(options: BridgesOptions): Promise<Bridges> {
  const opened = new Opened();
  try {
    return { ...(await open(options, opened)), stop: () => opened.close() };
  } catch (error) {
    await opened.close();
    throw error;
  }
}
