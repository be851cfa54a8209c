import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Context } from '../../../src/domain/context.ts';
import { registerApp } from '../../../src/domain/apps/register-app.ts';
import type { LegacyApp, Person } from '../../support/callers/authorize.ts';
import { CookieWalker } from '../../support/callers/cookie-walker.ts';
import { freePort } from '../../support/servers/free-port.ts';
import { BRIDGE_CLIENT } from '../../support/servers/modern-side.ts';
import { startPostgres } from '../../support/database/postgres.ts';
import { type CampaignBridge, startCampaignBridge } from './campaign-bridge.ts';
import { type DatabaseWay, layDatabaseWay } from '../shared/faults/database-way.ts';
import type { FaultProxy } from '../shared/faults/fault-proxy.ts';
import type { Presentation } from '../shared/checker/history.ts';
import { QUIET_SECONDS } from '../shared/limits.ts';
import { modernSettings, startModernProcess } from '../shared/modern-process.ts';
import { layNetwork } from '../shared/network.ts';
import { openOwnContext } from '../shared/own-context.ts';
import type { CampaignOptions } from './options.ts';
import type { Recorder } from '../shared/recorder.ts';

/** One whole system of its own: a database, two bridges, the faulty network, the recorder and a modern side. */
export interface Lane {
  /** Whether the bridge's client is confidential, so that introspection answers it. */
  introspects: boolean;
  folder: string;
  bridges: readonly [CampaignBridge, CampaignBridge];
  proxy: FaultProxy;
  recorder: Recorder;
  presentations: Presentation[];
  /** The same database and keys, in the campaign's own process. */
  context: Context;
  person: Person;
  browser: CookieWalker;
  app: LegacyApp;
  /** An app of the same account, for a second grant beside the first. */
  otherApp: LegacyApp;
  modernUrl: string;
  issuer: string;
  clientSecret: string | undefined;
  /** The grant that the rounds use, until it ends. */
  grant: { id: string; token: string } | undefined;
  /** Of each bridge, the folder that is its machine's own; on SQLite both are on one machine. */
  varDirs: readonly [string, string];
  /** Of each bridge, its way to PostgreSQL; none on SQLite. */
  ways: readonly DatabaseWay[];
  /** Ends PostgreSQL as a crash does, and starts it again. */
  crashDatabase(): Promise<void>;
  close(): Promise<void>;
}

export interface LaneOptions {
  campaign: CampaignOptions;
  /** The copied build. */
  build: string;
  introspects: boolean;
  name: string;
}

const CALLBACK = 'https://old-app.example/callback';

async function register(context: Context, name: string): Promise<LegacyApp> {
  const owner = 'owner@old-app.example';
  const registered = await registerApp(context, {
    name,
    callbacks: [CALLBACK],
    owner,
    actor: 'campaign',
    requestId: null,
  });
  if (!registered) throw new Error('an app without a fixed id is never known already');
  return { ...registered, callback: CALLBACK };
}

interface Ports {
  first: number;
  second: number;
  network: number;
  recorder: number;
  modern: number;
}

async function takePorts(): Promise<Ports> {
  return {
    first: await freePort(),
    second: await freePort(),
    network: await freePort(),
    recorder: await freePort(),
    modern: await freePort(),
  };
}

function settingsOf(ports: Ports, folder: string, databaseUrl: string): Record<string, string> {
  const modern = `http://127.0.0.1:${ports.network}`;
  return {
    PORT: String(ports.first),
    PUBLIC_URL: `http://127.0.0.1:${ports.first}`,
    VAR_DIR: folder,
    DATABASE_URL: databaseUrl,
    KEYS_FILE: join(folder, 'keys.json'),
    MODERN_AUTH_URL: modern,
    MODERN_API_URL: modern,
    MODERN_CLIENT_ID: BRIDGE_CLIENT,
    IN_DOUBT_QUIET_SECONDS: String(QUIET_SECONDS),
    LEGACY_RATE_LIMIT: '0',
    PROFILES_FRESH_SECONDS: '0',
    LOG_LEVEL: 'debug',
  };
}

/** With introspection the last known answer stands in for a failure; without it a failure is seen as one. */
function settingsOfKind(introspects: boolean, secret: string): Record<string, string> {
  return introspects ? { MODERN_CLIENT_SECRET: secret } : { PROFILES_STALE_SECONDS: '0' };
}

/** Two processes on PostgreSQL are two machines; on SQLite they share one. */
function folderOf(folder: string, index: number, ways: readonly DatabaseWay[]): string {
  if (ways.length === 0) return folder;
  const own = join(folder, `machine-${index}`);
  mkdirSync(own);
  return own;
}

/** Starts everything; the two bridges are up when it resolves. */
export async function startLane({ campaign, build, introspects, name }: LaneOptions): Promise<Lane> {
  const [ports, folder, secret] = [await takePorts(), join(build, name), `campaign-secret-of-${name}`];
  mkdirSync(folder);
  const clientSecret = introspects ? secret : undefined;
  const way = await layNetwork(ports);
  const modern = await startModernProcess(
    build,
    modernSettings({ ...ports, bridge: ports.first }, folder, { clientSecret }),
  );
  const postgres = campaign.database === 'postgres' ? await startPostgres({ fsync: true }) : undefined;
  const databaseUrl = postgres?.url ?? `sqlite:${folder}/bridge.db`;
  const settings = { ...settingsOf(ports, folder, databaseUrl), ...settingsOfKind(introspects, secret) };
  const opened = await openOwnContext(settings);
  const { context } = opened;
  const [app, otherApp] = [await register(context, 'Old App'), await register(context, 'Other App')];
  let awayUntil = 0;
  const ways = postgres ? [await layDatabaseWay(databaseUrl), await layDatabaseWay(databaseUrl)] : [];
  const varDirs = [folderOf(folder, 0, ways), folderOf(folder, 1, ways)] as const;
  const startBridge = (index: 0 | 1, port: number) =>
    startCampaignBridge({
      folder: build,
      index,
      settings: {
        ...settings,
        PORT: String(port),
        VAR_DIR: varDirs[index],
        DATABASE_URL: ways[index]?.url ?? databaseUrl,
      },
      sabotage: campaign.sabotage,
      wasDatabaseAwaySince: (time) => awayUntil >= time || ways[index]?.wasCutSince(time) === true,
    });
  const bridges = [startBridge(0, ports.first), startBridge(1, ports.second)] as const;
  await Promise.all(bridges.map((bridge) => bridge.up()));
  for (const { clientSecret: known } of [app, otherApp]) way.recorder.secrets.add(known);
  return {
    introspects,
    folder,
    bridges,
    ...way,
    context,
    person: modern.person,
    browser: new CookieWalker(),
    app,
    otherApp,
    modernUrl: `http://127.0.0.1:${ports.modern}`,
    issuer: `http://127.0.0.1:${ports.network}`,
    clientSecret,
    grant: undefined,
    varDirs,
    ways,
    async crashDatabase() {
      awayUntil = Number.POSITIVE_INFINITY;
      await postgres?.restart('SIGQUIT');
      awayUntil = Date.now();
    },
    async close() {
      await Promise.all(bridges.map((bridge) => bridge.end()));
      await opened.close();
      await Promise.all(ways.map((each) => each.close()));
      await Promise.all([way.proxy.close(), way.recorder.close(), modern.stop(), postgres?.stop()]);
    },
  };
}
