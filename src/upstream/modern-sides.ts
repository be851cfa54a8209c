import type { Clock } from '../shared/clock.ts';
import {
  type AuthorizationServer,
  createAuthorizationServer,
  type ModernClient,
} from './authorization-server.ts';
import { createDiscovery } from './discovery.ts';
import { createMainApi, type MainApi } from './main-api.ts';
import { silencedMainApi, silencedServer, type Silence } from './silence.ts';

/**
 * The modern side as each of its clients meets it. Budgets and requests to wait are a client's own, so what one app's
 * client used up or was told stops no other.
 */
export interface ModernSides {
  /** Where the main API is, for those who call it themselves. */
  apiUrl: string;
  /** With the credentials that are given; the same ones give the same server. */
  serverFor(client: ModernClient): AuthorizationServer;
  mainApiFor(modernClientId: string): MainApi;
  /** Every client whose main API was asked for. */
  mainApis(): ReadonlyMap<string, MainApi>;
}

interface Options {
  authUrl: string;
  apiUrl: string;
  clock: Pick<Clock, 'now'>;
  silence: Silence;
}

/** What is known of each client is kept for as long as the process runs: clients are few. */
export function createModernSides({ authUrl, apiUrl, clock, silence }: Options): ModernSides {
  const metadata = createDiscovery(authUrl);
  const servers = new Map<string, { secret: string | undefined; server: AuthorizationServer }>();
  const mainApis = new Map<string, MainApi>();
  const newServer = (client: ModernClient) =>
    silencedServer(createAuthorizationServer({ authUrl, metadata, client, clock }), silence);
  const newMainApi = () => silencedMainApi(createMainApi(apiUrl, clock), silence);
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
