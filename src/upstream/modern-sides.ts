import type { Clock } from '../shared/clock.ts';
import type { Logger } from '../shared/log/logger.ts';
import {
  type AuthorizationServer,
  createAuthorizationServer,
  type ModernClient,
} from './authorization-server.ts';
import { createBreaker } from './breaker.ts';
import type { ConnectionBreaker } from './connection.ts';
import { createDiscovery } from './discovery.ts';
import { createMainApi, type MainApi } from './main-api.ts';
import type { UpstreamMetrics } from '../shared/metrics/upstream-metrics.ts';
import type { TraceRecorder } from '../shared/trace/tracing.ts';
import { measuredMainApi, measuredServer } from './measured.ts';
import { createReadBreaker, type ReadBreaker } from './read-breaker.ts';
import { silencedMainApi, silencedServer, type SilenceCheck } from './silence.ts';

/**
 * The new API for each of its clients. Budgets and requests to wait belong to one client, so a client that has used up
 * its budget stops no other client.
 */
export interface ModernApiClients {
  /** The address of the main API, for apps that call the main API themselves. */
  apiUrl: string;
  /** With the given credentials. The same credentials give the same server. */
  serverFor(client: ModernClient): AuthorizationServer;
  mainApiFor(modernClientId: string): MainApi;
  /** The breaker before the reads of all clients. */
  reads: ReadBreaker;
  /** The breaker before the connections for the refreshes of all clients. */
  connections: ConnectionBreaker;
  /** Every client whose main API has been requested. */
  mainApis(): ReadonlyMap<string, MainApi>;
}

interface Options {
  authUrl: string;
  apiUrl: string;
  clock: Pick<Clock, 'now'>;
  silence: SilenceCheck;
  logger: Pick<Logger, 'warn' | 'info'>;
  metrics: UpstreamMetrics;
  tracing?: TraceRecorder | undefined;
}

function createConnectionBreaker(logger: Options['logger']): ConnectionBreaker {
  return createBreaker({
    isFault: () => false,
    tell: (isOpen) =>
      isOpen
        ? logger.warn('no connection to the authorization server comes about, the bridge tries one at a time')
        : logger.info('connections to the authorization server come about again'),
  });
}

/** Knowledge of each client is kept for the life of the process, because clients are few. */
export function createModernSides({ metrics, tracing, ...options }: Options): ModernApiClients {
  const { authUrl, apiUrl, clock, silence, logger } = options;
  const connections = createConnectionBreaker(logger);
  const reads = createReadBreaker({ apiUrl, silence, logger });
  const discovery = createDiscovery(authUrl);
  const servers = new Map<string, { secret: string | undefined; server: AuthorizationServer }>();
  const mainApis = new Map<string, MainApi>();
  const newServer = (client: ModernClient) => {
    const { noteWait } = metrics;
    const server = createAuthorizationServer({ authUrl, discovery, client, clock, connections, noteWait });
    return silencedServer(measuredServer(server, { metrics, tracing }), silence);
  };
  const newMainApi = () =>
    silencedMainApi(measuredMainApi(createMainApi({ apiUrl, clock, reads }), { metrics, tracing }), silence);
  return {
    apiUrl,
    reads,
    connections,
    serverFor(client) {
      const { clientId, clientSecret } = client;
      const known = servers.get(clientId);
      if (known && known.secret === clientSecret) return known.server;
      const server = newServer(client);
      servers.set(clientId, { secret: clientSecret, server });
      return server;
    },
    mainApiFor(modernClientId) {
      const mainApi = mainApis.get(modernClientId) ?? newMainApi();
      mainApis.set(modernClientId, mainApi);
      return mainApi;
    },
    mainApis: () => mainApis,
  };
}
