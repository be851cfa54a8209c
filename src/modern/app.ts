import { join } from 'node:path';
import express, { Router } from 'express';
import type { Express, NextFunction, Request, Response } from 'express';
import { containErrors } from '../shared/net/contain-errors.ts';
import type { Logger } from '../shared/log/logger.ts';
import type { Mailer } from '../shared/mail/mailer.ts';
import { iconRouter } from '../shared/icons.ts';
import { createPages, stylesheet } from '../shared/pages.ts';
import { projectRoot } from '../shared/project-root.ts';
import { authenticateWith } from './authenticate.ts';
import {
  createModernAuthorizationServer,
  isAuthorizationServerPath,
} from './provider/authorization-server.ts';
import {
  createRenderError,
  explainFailure,
  renderErrorPage,
  renderMissingPage,
  errorPageLinks,
} from './error-pages.ts';
import { createAttempts } from './interactions/attempts.ts';
import { startOverForOthers } from './interactions/resume.ts';
import { createInteractions } from './interactions/routes.ts';
import { createMainApiServer } from './main-api/main-api.ts';
import type { Quotas } from './main-api/quotas.ts';
import { noStore, securityHeaders, siteName } from './page-headers.ts';
import type { ProviderBrakes } from './provider/provider-brakes.ts';
import { logProvider } from './provider/provider-log.ts';
import { createSettings } from './settings-pages/routes.ts';
import type { DemoCredentials } from './settings.ts';
import type { ModernStore } from './store/store.ts';

export interface ModernAppDeps {
  store: ModernStore;
  issuer: string;
  accessTokenSeconds: number;
  signInClients: ReadonlySet<string>;
  quotas?: Quotas | undefined;
  demo: DemoCredentials | undefined;
  /** The page on which people find the apps that they use. Unset: there is no such page. */
  appsUrl?: string | undefined;
  mailer: Mailer;
  logger: Logger;
  brakes: ProviderBrakes;
}

/**
 * Express and the provider answer HEAD by the GET handler. A HEAD request must not start or continue an authorization.
 */
function refuseHead(req: Request, res: Response, next: NextFunction): void {
  if (req.method === 'HEAD' && /^\/(auth|interaction)\b/.test(req.path))
    res.status(405).set('Allow', 'GET').end();
  else next();
}

/** The stylesheet and the icons of the pages. */
function assets(): Router {
  const style = stylesheet();
  const router = Router({ caseSensitive: true, strict: true });
  router.get(
    '/assets/style.css',
    (_req, res) => void res.type('css').set('Cache-Control', 'max-age=300').send(style),
  );
  return router.use(iconRouter());
}

/** All routes of the embedded new API, in reading order. */
export function createApp({
  store,
  issuer,
  quotas,
  demo,
  appsUrl,
  mailer,
  logger,
  ...consents
}: ModernAppDeps): Express {
  const pages = createPages(join(projectRoot, 'src', 'modern'), { waysOn: errorPageLinks(appsUrl) });
  const renderSlowDown = () => renderErrorPage(pages, { error: 'slow_down' });
  const answers = { renderError: createRenderError(pages), renderSlowDown };
  const provider = createModernAuthorizationServer({ ...consents, ...answers, store, issuer });
  logProvider(provider, logger);
  const authorizationServer = provider.callback();
  const onUnexpected = (cause: Error) => logger.error('main API failed', { cause });
  const mainApi = {
    authenticate: authenticateWith(provider, store),
    data: store.mainApi,
    quotas,
    onUnexpected,
  };

  const app = express().disable('x-powered-by').disable('etag').enable('case sensitive routing');
  app.enable('strict routing');
  app.use(containErrors, securityHeaders());
  app.use(assets());
  app.use(noStore, refuseHead);
  app.get('/auth/:uid', startOverForOthers(provider));
  app.use((req, res, next) => {
    if (!isAuthorizationServerPath(req.path)) return next();
    return authorizationServer(req, res);
  });
  const people = { provider, store, pages, attempts: createAttempts(), demo };
  app.use('/interaction', createInteractions(people));
  app.use('/settings', createSettings({ ...people, issuer, mailer, logger }));
  app.use(createMainApiServer(mainApi));
  app.get(
    '/',
    (_req, res) => void res.send(pages.render('home', { title: 'Welcome', siteName, narrow: true })),
  );
  app.use((_req, res) => void res.status(404).send(renderMissingPage(pages)));
  app.use(explainFailure(pages, logger));
  return app;
}
