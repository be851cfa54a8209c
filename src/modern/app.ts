import { join } from 'node:path';
import express from 'express';
import type { Express, NextFunction, Request, Response } from 'express';
import type { Logger } from '../shared/logger.ts';
import { createPages, stylesheet } from '../shared/pages.ts';
import { projectRoot } from '../shared/project-root.ts';
import { createAuthorizationServer, isAuthorizationServerPath } from './authorization-server.ts';
import { errorHandler } from './error-handler.ts';
import { createRenderError, renderErrorPage } from './error-pages.ts';
import { createAttempts } from './interactions/attempts.ts';
import { createInteractions } from './interactions/routes.ts';
import type { Authenticate } from './main-api/authentication.ts';
import { createMainApi } from './main-api/main-api.ts';
import type { Provider } from './oidc.ts';
import { noStore, securityHeaders, siteName } from './page-headers.ts';
import { logProvider } from './provider-log.ts';
import type { DemoCredentials } from './settings.ts';
import type { Store } from './store/store.ts';

export interface AppParts {
  store: Store;
  issuer: string;
  accessTokenSeconds: number;
  demo: DemoCredentials | undefined;
  logger: Logger;
}

/** Access tokens of the authorization server, read in process: expired and revoked ones are not found. */
function authenticateWith(provider: Provider): Authenticate {
  return async (token) => {
    const found = await provider.AccessToken.find(token);
    return found
      ? { accountId: found.accountId, scopes: [...found.scopes], client: `app:${found.clientId}` }
      : null;
  };
}

/** A HEAD runs the GET handler in Express and in the provider; an authorization must not start or go on by one. */
function refuseHead(req: Request, res: Response, next: NextFunction): void {
  if (req.method === 'HEAD' && /^\/(auth|interaction)\b/.test(req.path))
    res.status(405).set('Allow', 'GET').end();
  else next();
}

/** Everything the modern generation answers, in reading order. */
export function createApp({ store, issuer, accessTokenSeconds, demo, logger }: AppParts): Express {
  const pages = createPages(join(projectRoot, 'src', 'modern', 'pages'));
  const style = stylesheet();
  const renderError = createRenderError(pages);
  const provider = createAuthorizationServer({ store, issuer, accessTokenSeconds, renderError });
  logProvider(provider, logger);
  const authorizationServer = provider.callback();
  const onUnexpected = (cause: Error) => logger.error('main API failed', { cause });
  const mainApi = { authenticate: authenticateWith(provider), data: store.mainApi, onUnexpected };

  const app = express().disable('x-powered-by').disable('etag').enable('case sensitive routing');
  app.enable('strict routing');
  app.use(securityHeaders());
  app.get(
    '/assets/style.css',
    (_req, res) => void res.type('css').set('Cache-Control', 'max-age=300').send(style),
  );
  app.use(noStore, refuseHead);
  app.use((req, res, next) => {
    if (!isAuthorizationServerPath(req.path)) return next();
    return authorizationServer(req, res);
  });
  app.use('/interaction', createInteractions({ provider, store, pages, attempts: createAttempts(), demo }));
  app.use(createMainApi(mainApi));
  app.get(
    '/',
    (_req, res) => void res.send(pages.render('home', { title: 'Welcome', siteName, narrow: true })),
  );
  app.use((_req, res) => {
    const page = {
      title: 'There is no such page',
      text: 'The address may be mistyped. Go back to the app you came from and start again.',
      error: 'not_found',
    };
    res.status(404).send(pages.render('error', { ...page, description: '', siteName, narrow: true }));
  });
  app.use(
    errorHandler((error, res) => {
      logger.error('request failed', { cause: error });
      res.status(500).send(renderErrorPage(pages, { error: 'server_error' }));
      return true;
    }),
  );
  return app;
}
