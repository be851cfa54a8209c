import { existsSync, readFileSync } from 'node:fs';
import { createServer as createHttpServer, type Server } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { Config, UpstreamConfig } from './config.ts';
import type { Context } from './domain/context.ts';
import { createFlights } from './domain/flights.ts';
import { settleOwedRevocations } from './domain/owe-revocation.ts';
import { createApp } from './http/app.ts';
import { startJobs } from './jobs/schedule.ts';
import { loadKeys } from './keys-file.ts';
import { type Clock, createSystemClock } from './shared/clock.ts';
import { listenFailure } from './shared/listen-failure.ts';
import { SECOND, STOP_LIMIT } from './shared/lifetimes.ts';
import { createLogger, type Logger } from './shared/logger.ts';
import { createVault, type Keys } from './shared/secrets.ts';
import { openSqliteStore } from './store/sqlite.ts';
import { createAuthorizationServer } from './upstream/authorization-server.ts';
import { createMainApi } from './upstream/main-api.ts';

/** The composition root: everything that the bridge consists of is built here, once. */

export interface Overrides {
  clock?: Clock;
  logger?: Logger;
}

/** What use cases need, and the keys and the closing of what was opened. */
export interface Workshop {
  context: Context;
  keys: Keys;
  close(): Promise<void>;
}

/** Opens keys, databases and the upstream clients; serves nothing. */
export function openWorkshop(config: Config, upstream: UpstreamConfig, overrides: Overrides = {}): Workshop {
  const clock = overrides.clock ?? createSystemClock();
  const logger = overrides.logger ?? createLogger({ level: config.logLevel, name: 'bridge' });
  const keys = loadKeys(config.keysFile, !config.production && !existsSync(config.databaseFile));
  const store = openSqliteStore(config.databaseFile);
  const client = { clientId: upstream.clientId, clientSecret: upstream.clientSecret };
  const context: Context = {
    settings: config,
    store,
    clock,
    vault: createVault(keys),
    logger,
    server: createAuthorizationServer({ authUrl: upstream.authUrl, client, clock }),
    mainApi: createMainApi(upstream.apiUrl, clock),
    flights: createFlights(),
  };
  return { context, keys, close: () => store.close() };
}

export interface Bridge {
  context: Context;
  url: string;
  close(): Promise<void>;
}

/** Lower than Node's own limits, so that a slow sender holds nothing for long (hardening row 75). */
const SERVER_LIMITS = {
  requestTimeout: 30 * SECOND,
  headersTimeout: 15 * SECOND,
  keepAliveTimeout: 65 * SECOND,
};

function createServer(config: Config, app: ReturnType<typeof createApp>): Server {
  if (!config.tls) return createHttpServer(SERVER_LIMITS, app);
  const tls = { cert: readFileSync(config.tls.certFile), key: readFileSync(config.tls.keyFile) };
  return createHttpsServer({ ...SERVER_LIMITS, ...tls, minVersion: 'TLSv1.2' }, app);
}

function listen(server: Server, config: Config): Promise<AddressInfo> {
  return new Promise((resolve, reject) => {
    server.once('error', (error) => reject(listenFailure(error, 'PORT', config)));
    server.listen(config.port, config.host, () => resolve(server.address() as AddressInfo));
  });
}

/** Lets running calls finish, within the limit; then cuts what is left. */
function drain(server: Server): Promise<void> {
  return new Promise((resolve) => {
    const cut = setTimeout(() => server.closeAllConnections(), STOP_LIMIT);
    server.close(() => {
      clearTimeout(cut);
      resolve();
    });
    server.closeIdleConnections();
  });
}

/**
 * Starts the bridge against a modern side.
 * @throws {Error} in plain words when keys, database or address are not usable
 */
export async function startBridge(config: Config, overrides: Overrides = {}): Promise<Bridge> {
  if (!config.upstream)
    throw new Error('no modern side: set MODERN_AUTH_URL, MODERN_API_URL and MODERN_CLIENT_ID');
  const workshop = openWorkshop(config, config.upstream, overrides);
  const { context, keys } = workshop;
  const { rateLimitPerMinute, trustProxy } = config;
  const server = createServer(
    config,
    createApp({ context, session: keys.session, rateLimitPerMinute, trustProxy }),
  );
  const { port } = await listen(server, config);
  const stopJobs = startJobs(context);
  settleOwedRevocations(context).catch((error: unknown) =>
    context.logger.error('owed revocations', { error }),
  );
  context.logger.info('the bridge serves', { port });
  return {
    context,
    url: `${config.tls ? 'https' : 'http'}://${config.host}:${port}`,
    async close() {
      await drain(server);
      await stopJobs();
      await context.flights.settled();
      await workshop.close();
    },
  };
}
