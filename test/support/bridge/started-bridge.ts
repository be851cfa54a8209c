import { readFileSync } from 'node:fs';
import { PassThrough } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { type Bridge, startBridge } from '../../../src/app/bridge.ts';
import { openContext } from '../../../src/app/open-context.ts';
import { type Config, readConfig } from '../../../src/config/config.ts';
import type { Clock } from '../../../src/shared/clock.ts';
import { createLogger } from '../../../src/shared/log/logger.ts';
import type { DatabaseLocation } from '../../../src/store/driver/open-store.ts';
import type { TestDatabase } from '../database/database.ts';
import { copyMigratedFile, migratedDatabase } from '../database/migrated.ts';
import { type BridgeLog, spawnBridge } from './spawned-bridge.ts';
import { testMode } from '../jest/test-mode.ts';

/** The bridge of a test, run as the mode of the tests says: in this process or in others, on either database. */

export interface BridgeOptions {
  /** As its environment would say them; a test that starts again on the same database names that database. */
  settings: Record<string, string>;
  clock?: Clock;
  /** Where it logs, and from which level on. */
  log?: BridgeLog;
  webhookAuthority?: string;
}

export interface StartedBridge extends Bridge {
  database: DatabaseLocation;
  /** Resolves when each of its processes knows what one of them has counted or was told. */
  untilShared(): Promise<void>;
  /** Resolves when what it logged up to now has arrived. */
  untilLogged(): Promise<void>;
  /** The bytes of memory that it has in use. */
  memory(): number;
}

/** What the bridge logs is silent in tests that provoke it; TEST_LOG=1 shows it. */
function quietLog(): BridgeLog {
  return { level: 'warn', stream: process.env['TEST_LOG'] ? process.stderr : new PassThrough().resume() };
}

/** The setting that leads the bridge to a database of the kind that the tests run on. */
export async function chooseDatabase(): Promise<{
  settings: Record<string, string>;
  remove(): Promise<void>;
}> {
  if (testMode.database === 'sqlite') return { settings: {}, remove: async () => undefined };
  const database: TestDatabase = await migratedDatabase();
  return { settings: { DATABASE_URL: database.url }, remove: () => database.drop() };
}

/** Of a process and those that it started. */
function residentMemory(pid: number): number {
  const pages = readFileSync(`/proc/${pid}/statm`, 'utf8').split(' ')[1];
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean);
  return children.map(Number).reduce((sum, child) => sum + residentMemory(child), Number(pages) * 4096);
}

/** Sharing takes two turns of 400 ms (src/domain/limits/share-limits.ts). */
const SHARED_AFTER = 1000;

/** Lines from another process may still be in its pipe. */
const LOGGED_AFTER = 100;

async function startHere(
  config: Config,
  { clock, log = quietLog(), webhookAuthority }: BridgeOptions,
): Promise<StartedBridge> {
  const logger = createLogger({ ...log, name: 'bridge' });
  const bridge = await startBridge(config, { logger, webhookAuthority, ...(clock && { clock }) });
  return {
    ...bridge,
    database: config.database,
    untilShared: async () => undefined,
    untilLogged: async () => undefined,
    memory: () => process.memoryUsage().rss,
  };
}

/** Its context is a second one on the same database and keys: what a test sets up and looks up itself. */
async function startElsewhere(config: Config, options: BridgeOptions): Promise<StartedBridge> {
  const { settings, clock, log = quietLog() } = options;
  const spawned = await spawnBridge({ ...settings, WORKERS: String(testMode.workers) }, { log, clock });
  if (!config.upstream) throw new Error('the settings name no modern side');
  const logger = createLogger({ ...log, name: 'test' });
  const opened = await openContext(config, config.upstream, { logger, ...(clock && { clock }) });
  return {
    context: opened.context,
    url: `${config.tls ? 'https' : 'http'}://${config.host}:${config.port}`,
    database: config.database,
    untilShared: () => (testMode.workers > 1 ? delay(SHARED_AFTER) : Promise.resolve()),
    untilLogged: () => delay(LOGGED_AFTER),
    memory: () => residentMemory(spawned.pid),
    async close() {
      await opened.close();
      await spawned.close();
    },
  };
}

/** Starts the bridge; a database that the settings do not name is new, and goes with it. */
export async function startTestBridge(options: BridgeOptions): Promise<StartedBridge> {
  const database = await chooseDatabase();
  const settings = { ...database.settings, ...options.settings };
  const start = testMode.isSpawned ? startElsewhere : startHere;
  const config = readConfig(settings);
  copyMigratedFile(config.database);
  const starting = start(config, { ...options, settings });
  const bridge = await starting.catch(async (error: unknown) => {
    await database.remove();
    throw error;
  });
  let closing: Promise<void> | undefined;
  return {
    ...bridge,
    close(how) {
      const closed = bridge.close(how);
      return (closing ??= closed.then(() => database.remove()));
    },
  };
}
