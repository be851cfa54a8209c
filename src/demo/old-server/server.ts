import type { Server } from 'node:http';
import express, { type ErrorRequestHandler, type Express } from 'express';
import type { Logger } from '../../shared/log/logger.ts';
import { listenFailure } from '../../shared/net/listen-failure.ts';
import { createOldRoutes } from './routes.ts';
import type { OldServerSettings } from './settings.ts';

/** A running old API of the demo. */
interface OldServer {
  close(): Promise<void>;
}

/** Only the bridge on this machine calls it. */
const HOST = '127.0.0.1';

/** Old programs send little more than the text of a post. */
const BODY_LIMIT = '256kb';

function lastResort(logger: Logger): ErrorRequestHandler {
  // oxlint-disable-next-line max-params -- express knows an error handler by its four parameters
  return (error: Error & { status?: number }, req, res, _next) => {
    const isTheirs = error.status !== undefined && error.status < 500;
    if (!isTheirs) logger.error('the old API of the demo failed to answer', { path: req.path, error });
    res.status(isTheirs ? 400 : 500).json({ error: 'The request could not be read.', code: 1000 });
  };
}

function createApp({ accounts }: OldServerSettings, logger: Logger): Express {
  const app = express();
  app.disable('x-powered-by');
  app.set('etag', false);
  app.set('query parser', 'simple');
  app.use(express.urlencoded({ extended: false, limit: BODY_LIMIT }), express.json({ limit: BODY_LIMIT }));
  app.use(createOldRoutes(accounts));
  app.use(lastResort(logger));
  return app;
}

function listen(app: Express, port: number): Promise<Server> {
  return new Promise((resolve, reject) => {
    const server = app.listen(port, HOST, (error) =>
      error ? reject(listenFailure(error, 'DEMO_OLD_API_PORT', { host: HOST, port })) : resolve(server),
    );
  });
}

/** Starts the old API of the demo; rejects when its port is not available. */
export async function startOldServer(settings: OldServerSettings, logger: Logger): Promise<OldServer> {
  const server = await listen(createApp(settings, logger), settings.port);
  return {
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
