import type { Clock } from '../shared/clock.ts';
import {
  type AuthorizationServer,
  createAuthorizationServer,
  type ModernClient,
} from './authorization-server.ts';
import { createDiscovery } from './discovery.ts';
import { createMainApi, type MainApi } from './main-api.ts';
import type { UpstreamMetrics } from '../shared/metrics/upstream-metrics.ts';
import { measuredMainApi, measuredServer } from './measured.ts';
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
  /** Every client whose main API has been requested. */
  mainApis(): ReadonlyMap<string, MainApi>;
}

interface Options {
  authUrl: string;
  apiUrl: string;
  clock: Pick<Clock, 'now'>;
  silence: SilenceCheck;
  metrics: UpstreamMetrics;
}

/** Knowledge of each client is kept for the life of the process, because clients are few. */
export function createModernSides({ authUrl, apiUrl, clock, silence, metrics }: Options): ModernApiClients {
  const metadata = createDiscovery(authUrl);
  const servers = new Map<string, { secret: string | undefined; server: AuthorizationServer }>();
  const mainApis = new Map<string, MainApi>();
  const newServer = (client: ModernClient) => {
    const server = createAuthorizationServer({ authUrl, metadata, client, clock });
    return silencedServer(measuredServer(server, metrics), silence);
  };
  const newMainApi = () => silencedMainApi(measuredMainApi(createMainApi(apiUrl, clock), metrics), silence);
  return {
    apiUrl,
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
