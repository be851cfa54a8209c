import { randomBytes } from 'node:crypto';
import type { Server } from 'node:http';
import express, { type ErrorRequestHandler, type Express, type RequestHandler } from 'express';
import session from 'express-session';
import helmet from 'helmet';
import type { Logger } from '../shared/log/logger.ts';
import { iconRouter } from '../shared/icons.ts';
import { listenFailure } from '../shared/net/listen-failure.ts';
import { stylesheet } from '../shared/pages.ts';
import { startConnecting, finishAuthorization, recordCallback } from './connect.ts';
import { noSuchPage, ownFailure } from './failures.ts';
import { createOldApi } from './old-api.ts';
import { callbackPath, connectPath, createOldClient } from './old-client.ts';
import { createRoutes } from './routes.ts';
import { BoundedSessionStore } from './session-store.ts';
import type { DemoSettings } from './settings.ts';
import { createShow, type DemoPages } from './show.ts';
import { createWire } from './wire.ts';

/** A running demo integration. */
export interface Demo {
  url: string;
  port: number;
  close(): Promise<void>;
}

function securityHeaders(): RequestHandler {
  return helmet({
    contentSecurityPolicy: {
      useDefaults: false,
      directives: {
        defaultSrc: ["'none'"],
        styleSrc: ["'self'"],
        imgSrc: ["'self'"],
        formAction: ["'self'"],
        baseUri: ["'none'"],
        frameAncestors: ["'none'"],
      },
    },
    // 'no-referrer' would make browsers send "Origin: null" with the demo's own forms.
    referrerPolicy: { policy: 'same-origin' },
    strictTransportSecurity: false,
  });
}

// The session cookie and the callback belong to one host name. If the demo were opened as 127.0.0.1, the return to
// localhost would find no session.
function onlyOwnName(publicUrl: string): RequestHandler {
  const { host } = new URL(publicUrl);
  return (req, res, next) => (req.get('host') === host ? next() : res.redirect(publicUrl));
}

const neverStored: RequestHandler = (_req, res, next) => {
  res.set('Cache-Control', 'no-store');
  next();
};

function sessions(publicUrl: string): RequestHandler {
  return session({
    name: 'old-integration-demo',
    secret: randomBytes(32).toString('base64url'),
    resave: false,
    saveUninitialized: false,
    store: new BoundedSessionStore(),
    cookie: { httpOnly: true, sameSite: 'lax', secure: publicUrl.startsWith('https:') },
  });
}

function lastResort(show: DemoPages, logger: Logger): ErrorRequestHandler {
  // oxlint-disable-next-line max-params -- express knows an error handler by its four parameters
  return (error, req, res, _next) => {
    logger.error('the demo failed to answer', { path: req.path, error });
    show.failure(req, res, ownFailure);
  };
}

function createApp(settings: DemoSettings, logger: Logger): Express {
  const wire = createWire(settings.bridgeUrl);
  const oldApi = createOldApi(settings.bridgeUrl, wire);
  const show = createShow(settings);
  const app = express();
  app.disable('x-powered-by');
  app.use(securityHeaders());
  app.get('/assets/style.css', (_req, res) => void res.type('css').send(stylesheet()));
  app.use(iconRouter());
  app.use(onlyOwnName(settings.publicUrl));
  app.use(neverStored);
  app.use(sessions(settings.publicUrl));
  app.get(connectPath, startConnecting(oldApi, show.failure));
  app.get(callbackPath, recordCallback(wire));
  app.use(connectPath, createOldClient(settings, wire));
  app.get(callbackPath, finishAuthorization(oldApi, show.failure));
  app.use(createRoutes(settings, oldApi, show));
  app.use((req, res) => show.failure(req, res, noSuchPage));
  app.use(lastResort(show, logger));
  return app;
}

function listen(app: Express, { host, port }: DemoSettings): Promise<Server> {
  return new Promise((resolve, reject) => {
    const server = app.listen(port, host, (error) =>
      error ? reject(listenFailure(error, 'DEMO_PORT', { host, port })) : resolve(server),
    );
  });
}

/** Starts the demo integration; rejects when its port is not available. */
export async function startDemo(settings: DemoSettings, logger: Logger): Promise<Demo> {
  const server = await listen(createApp(settings, logger), settings);
  const address = server.address();
  const port = typeof address === 'object' && address ? address.port : settings.port;
  logger.info('demo integration started', { url: settings.publicUrl, port });
  return {
    url: settings.publicUrl,
    port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
