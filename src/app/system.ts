import { join } from 'node:path';
import { requireServable, startBridge, type StopOptions } from './bridge.ts';
import { openContext } from './open-context.ts';
import { type Child, startChild } from './child-process.ts';
import type { Config } from '../config/config.ts';
import { readTlsPair } from '../shared/net/tls-pair.ts';
import { followSettings } from '../domain/lifecycle/fill-dates.ts';
import { embeddedOrigin, upstreamFor } from './embedded-client.ts';
import { loadDemoData } from './demo-data.ts';
import type { Logger } from '../shared/log/logger.ts';
import { startWorkers, WORKER_STOP_TAKES } from './workers.ts';

/**
 * Starts the bridge, in this process or in WORKERS other processes. When the settings name no new API, also starts the
 * embedded new API, the old API of the demo and the demo integration.
 */

interface DemoAccount {
  email: string;
  /** Absent after the account holder changed the password in the settings. */
  password?: string;
  accountId: string;
}

type ModernChild = Child<{ url: string; demo?: DemoAccount }>;

export interface System {
  /** The account of the demo; undefined where no demo runs. */
  demo: DemoAccount | undefined;
  onUnexpectedEnd(callback: (part: string) => void): void;
  /** Stops the bridge first. The bridge drains while the parts that it needs still run. */
  close(options?: StopOptions): Promise<void>;
}

/**
 * In production mode graphql leaves out the checks for its developers. These checks take half the time of an execution.
 */
const MODERN_VARIABLES = { NODE_ENV: 'production' };

function startModern(config: Config): Promise<ModernChild> {
  const { clientId, clientSecret } = upstreamFor(config);
  const settings = {
    host: config.host,
    port: config.embedded.port,
    issuer: embeddedOrigin(config),
    appsUrl: `${config.publicUrl}/apps`,
    databaseFile: join(config.varDir, 'modern.db'),
    accessTokenSeconds: config.embedded.accessTokenSeconds,
    quotas: config.embedded.quotas,
    logLevel: config.logLevel,
    mail: config.mail,
    clients: [
      {
        clientId,
        clientSecret,
        name: 'grantbridge',
        redirectUris: [`${config.publicUrl}/callback`],
        remembersSignIn: true,
      },
    ],
    demo: true,
  };
  return startChild('modern/main.js', settings, MODERN_VARIABLES);
}

/** The old API of the demo; undefined where the settings name another one, or none. */
async function startOldApi(config: Config): Promise<Child<object> | undefined> {
  const port = config.embedded.oldApiPort;
  if (port === undefined) return undefined;
  const { DEMO_APP, oldAccounts } = await loadDemoData();
  const accounts = oldAccounts(DEMO_APP, Date.now());
  return startChild('demo/old-server/main.js', { port, accounts, logLevel: config.logLevel });
}

async function startDemo(config: Config): Promise<Child<object>> {
  const { DEMO_APP, demoOrigin } = await loadDemoData();
  const { clientId, clientSecret } = DEMO_APP;
  return startChild('demo/main.js', {
    host: config.host,
    port: config.embedded.demoPort,
    publicUrl: demoOrigin(config),
    bridgeUrl: config.publicUrl,
    clientId,
    clientSecret,
    logLevel: config.logLevel,
  });
}

/** The part that answers the old addresses: a bridge in this process, or the workers. */
interface Front {
  close(options?: StopOptions): Promise<void>;
}

interface Preparation {
  config: Config;
  demo: DemoAccount | undefined;
  logger: Logger;
}

/** Brings the database to the newest schema, makes keys, and fills the demo before jobs count or plan its tokens. */
async function prepare({ config, demo, logger }: Preparation): Promise<void> {
  const modernBegins = demo !== undefined;
  const opened = await openContext(config, upstreamFor(config), { logger, modernBegins });
  try {
    const { context } = opened;
    await requireServable(opened, config);
    // Settings come before the demo: the demo fills in its own dates where a database has none.
    await followSettings(context, config.dates);
    if (demo) await (await loadDemoData()).seedDemo(context, config, demo.accountId);
  } finally {
    await opened.close();
  }
}

/** The bridge counts the alarms of this logger. An error that nobody caught is one of them. */
async function startInThisProcess({ config, demo, logger }: Preparation): Promise<Front> {
  if (demo) await prepare({ config, demo, logger });
  return startBridge(config, { logger, modernBegins: demo !== undefined });
}

/** Prepares the database once before the workers start. Otherwise all workers would prepare the database at once. */
async function startInWorkers({ config, demo, logger }: Preparation): Promise<Front> {
  await prepare({ config, demo, logger });
  const stopLimit = config.drain + WORKER_STOP_TAKES;
  return startWorkers({ count: config.workers, logger, stopLimit });
}

function startFront(preparation: Preparation): Promise<Front> {
  return preparation.config.workers > 1 ? startInWorkers(preparation) : startInThisProcess(preparation);
}

interface BothApis {
  modern: ModernChild;
  old: Child<object> | undefined;
}

/** Starts the bridge and the demo integration in front of the two APIs, which run. */
async function startInFront(config: Config, logger: Logger, { modern, old }: BothApis): Promise<System> {
  const { demo } = modern.ready;
  const front = await startFront({ config: { ...config, upstream: upstreamFor(config) }, demo, logger });
  try {
    const integration = await startDemo(config);
    return {
      demo,
      onUnexpectedEnd(callback) {
        modern.onUnexpectedEnd(() => callback('the embedded new API'));
        integration.onUnexpectedEnd(() => callback('the demo integration'));
        old?.onUnexpectedEnd(() => callback('the old API of the demo'));
      },
      async close(options) {
        // The demo calls the bridge, so the bridge stops first. The bridge needs both APIs until its last call is
        // answered.
        await front.close(options);
        await integration.stop();
        await old?.stop();
        await modern.stop();
      },
    };
  } catch (error) {
    await front.close();
    throw error;
  }
}

/** Starts everything on one machine. When a later part cannot start, the parts that already run are stopped again. */
async function startWithEmbedded(config: Config, logger: Logger): Promise<System> {
  const modern = await startModern(config);
  let old: Child<object> | undefined;
  try {
    old = await startOldApi(config);
    return await startInFront(config, logger, { modern, old });
  } catch (error) {
    await old?.stop();
    await modern.stop();
    throw error;
  }
}

/**
 * The lines of this process go to `logger`.
 * @throws {Error} in plain words when a part cannot start
 */
export async function startSystem(config: Config, logger: Logger): Promise<System> {
  // An unusable certificate is refused before any process starts and before the database gets a newer schema.
  if (config.tls) readTlsPair(config.tls);
  if (!config.upstream) return startWithEmbedded(config, logger);
  const front = await startFront({ config, demo: undefined, logger });
  return { demo: undefined, onUnexpectedEnd: () => undefined, close: (options) => front.close(options) };
}
