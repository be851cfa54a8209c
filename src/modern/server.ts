/**
 * The embedded new API: a real authorization server and main API. With this server a fresh machine runs the
 * whole system without another service. The bridge reaches the server over HTTP alone. The server imports nothing of
 * the bridge but src/shared. In production the real service takes its place.
 */
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { CONNECTION_LIMITS } from '../shared/net/connection-limits.ts';
import { listenFailure } from '../shared/net/listen-failure.ts';
import { tellHeldCounts } from '../shared/log/held-counts.ts';
import type { Logger } from '../shared/log/logger.ts';
import { createMailer } from '../shared/mail/mailer.ts';
import { createApp } from './app.ts';
import { seedModernDemo } from './demo/seed.ts';
import { createProviderBrakes } from './provider/provider-brakes.ts';
import { PURGE_EVERY_SECONDS } from './lifetimes.ts';
import type { DemoCredentials, ModernSettings } from './settings.ts';
import { openModernStore, type ModernStore } from './store/store.ts';

/**
 * Room for a scope parameter of any length that a caller may try (docs/threats.md B40). /auth can then explain the
 * error.
 */
const MAX_HEADER_BYTES = 256 * 1024;
const CLOSE_MILLISECONDS = 2000;

export interface ModernServer {
  /** The issuer: public origin of the authorization server and the main API. */
  url: string;
  /** The actual port, also when the settings say 0. */
  port: number;
  demo: DemoCredentials | undefined;
  /** Gives running requests two seconds to end, then closes the store. Calling `close` again is harmless. */
  close(): Promise<void>;
}

async function listen({ host, port }: ModernSettings): Promise<Server> {
  const server = createServer({ ...CONNECTION_LIMITS, maxHeaderSize: MAX_HEADER_BYTES });
  server.listen(port, host);
  await once(server, 'listening').catch((error: unknown) => {
    throw listenFailure(error, 'MODERN_PORT', { host, port });
  });
  return server;
}

function portOf(server: Server): number {
  const address = server.address();
  if (typeof address !== 'object' || !address) throw new Error('not listening on a TCP port');
  return address.port;
}

function issuerAt(issuer: string, port: number): string {
  const url = new URL(issuer);
  if (url.port === '0') url.port = String(port);
  return url.origin;
}

async function closeServer(server: Server): Promise<void> {
  const closed = once(server, 'close');
  server.close();
  server.closeIdleConnections();
  const timer = setTimeout(() => server.closeAllConnections(), CLOSE_MILLISECONDS);
  await closed;
  clearTimeout(timer);
}

/**
 * Removes expired rows every hour; otherwise the database of a long-running server grows. Requests are answered between
 * two pieces. Returns a function that stops this.
 */
function purgeRegularly(store: ModernStore, logger: Logger): () => void {
  let next: NodeJS.Immediate | undefined;
  const purge = () => {
    try {
      next = store.purge() ? setImmediate(purge) : undefined;
    } catch (cause) {
      logger.warn('expired rows were not removed', { cause });
    }
  };
  const timer = setInterval(purge, PURGE_EVERY_SECONDS * 1000).unref();
  return () => {
    clearInterval(timer);
    clearImmediate(next);
  };
}

/** A public app is none of them: anybody could make a request in its name (RFC 6749 §10.2). */
function clientsThatSignIn({ clients }: ModernSettings): ReadonlySet<string> {
  const own = clients.filter(
    ({ remembersSignIn, clientSecret }) => remembersSignIn && clientSecret !== undefined,
  );
  return new Set(own.map(({ clientId }) => clientId));
}

/** Starts the server. Rejects with the system error when the port is taken or the database cannot be opened. */
export async function startModern(
  settings: ModernSettings,
  logger: Logger,
  brakes = createProviderBrakes(),
): Promise<ModernServer> {
  const store = openModernStore(settings.databaseFile);
  try {
    for (const client of settings.clients) store.clients.upsert(client);
    const demo = settings.demo ? seedModernDemo(store) : undefined;
    const mailer = createMailer(settings.mail);
    const server = await listen(settings);
    const port = portOf(server);
    const issuer = issuerAt(settings.issuer, port);
    const { accessTokenSeconds, quotas, appsUrl } = settings;
    const signInClients = clientsThatSignIn(settings);
    server.on(
      'request',
      createApp({
        store,
        issuer,
        accessTokenSeconds,
        signInClients,
        quotas,
        demo,
        appsUrl,
        mailer,
        logger,
        brakes,
      }),
    );
    logger.info('the embedded new API is listening', { issuer });
    const stopPurging = purgeRegularly(store, logger);
    let closing: Promise<void> | undefined;
    const closeAll = () => {
      stopPurging();
      return closeServer(server)
        .finally(() => tellHeldCounts(logger))
        .finally(store.close);
    };
    const close = () => (closing ??= closeAll());
    return { url: issuer, port, demo, close };
  } catch (error) {
    store.close();
    throw error;
  }
}
