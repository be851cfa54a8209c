import type { RequestListener } from 'node:http';
import { join } from 'node:path';
import express, { type Express } from 'express';
import type { Context } from '../domain/context.ts';
import { containErrors } from '../shared/net/contain-errors.ts';
import { logoAddress, logoRouter } from './pages/logo.ts';
import { createPages } from '../shared/pages.ts';
import { projectRoot } from '../shared/project-root.ts';
import { loadAssets } from './pages/assets.ts';
import { exchangeRouter } from './exchange/router.ts';
import { leaksRouter } from './leaks/router.ts';
import { answerDirectly } from './legacy/direct-calls.ts';
import { answerPlainly } from './legacy/plain/plain-calls.ts';
import { legacyRoutes } from './legacy/router.ts';
import { lifecycleRouter } from './lifecycle/router.ts';
import { type MetricsOptions, metricsRouter } from './metrics/router.ts';
import { migrateRouter } from './migrate/router.ts';
import { createReadiness, opsRouter, type UnreadyReason } from './ops/health.ts';
import { answerInTurns, refuseInOverload } from './overload/door.ts';
import { refusePeople } from './overload/later.ts';
import { createTurns } from './overload/turns.ts';
import { ownersRouter } from './owners/router.ts';
import { pageFailures, pageNotFound } from './site/page-failures.ts';
import { pageHeaders } from './pages/page-headers.ts';
import { createPageShell } from './site/page-shell.ts';
import { createVisitors, knowVisitor } from './site/visitor.ts';
import { type MessageClasses, messageClassesOf } from './message-classes.ts';
import { countAnswers } from './count-answers.ts';
import { giveRequestId } from './request-id.ts';
import { takeTrace } from './request-trace.ts';
import { logHeads, logRequests as createRequestLog, type RequestLogMode } from './request-log.ts';
import { httpsPages } from './pages/https-pages.ts';
import { showStart } from './site/start-page.ts';
import { createSigninParts } from './signin/parts.ts';
import { signinRouter } from './signin/router.ts';
import { staffApiRouter } from './staff-api/router.ts';
import { supportRouter } from './support/router.ts';
import { formatNumber, timeElement } from './wording/words.ts';
import { strictTransport, type TrustProxy } from './wire/https.ts';

export interface AppOptions {
  context: Context;
  rateLimitPerMinute: number;
  trustProxy: string[];
  logRequests: RequestLogMode;
  metrics?: MetricsOptions;
}

/**
 * Express without its defaults: exact paths, no entity tags, no framework name, and only the named proxies are trusted.
 */
function bareApp(trustProxy: string[]): Express {
  const app = express();
  app.set('case sensitive routing', true);
  app.set('strict routing', true);
  app.set('etag', false);
  app.set('x-powered-by', false);
  app.set('query parser', 'simple');
  app.set('trust proxy', trustProxy);
  return app;
}

interface BridgeApp {
  /** The whole HTTP surface, mounted in reading order. */
  app: Express;
  /** Answers every request as `app` does; the most frequent old calls on a shorter way. */
  answer: RequestListener;
  /** What the server makes requests and answers of. */
  messages: MessageClasses;
  /** How long a request waits for its turn, in milliseconds. */
  requestWait: () => number;
  /** What `/ready` says. */
  findUnready: UnreadyReason;
}

/** What every page shows of the service. */
function siteOf(settings: AppOptions['context']['settings'], assets: ReturnType<typeof loadAssets>) {
  const { serviceLogo } = settings;
  return {
    lang: settings.serviceLanguage,
    siteName: settings.serviceName,
    siteLogo: serviceLogo && logoAddress(serviceLogo),
    helpUrl: settings.helpUrl,
    accountSettings: settings.modernSettingsUrl,
    siteLink: '/',
    narrow: true,
    versioned: assets.versioned,
    time: timeElement,
    number: formatNumber,
  };
}

/** The HTTP surface of one bridge. */
export function createBridgeApp({
  context,
  rateLimitPerMinute,
  trustProxy,
  logRequests,
  metrics = { token: undefined, gather: undefined },
}: AppOptions): BridgeApp {
  const assets = loadAssets();
  const site = siteOf(context.settings, assets);
  const pages = createPages(join(projectRoot, 'src', 'http'), site);
  const app = bareApp(trustProxy);
  const { publicUrl } = context.settings;
  const first = [containErrors, giveRequestId, takeTrace, createRequestLog(context.logger, logRequests)];
  const legacy = legacyRoutes(context, { perMinute: rateLimitPerMinute, first });
  app.use(...first);
  app.use(legacy.router);
  app.use(exchangeRouter(context));
  app.use(strictTransport(publicUrl));
  const findUnready = createReadiness(context);
  app.use(opsRouter(findUnready));
  app.use(metricsRouter(context, metrics));
  app.use(countAnswers(context.metrics.site));
  app.use(staffApiRouter(context));
  app.use(pageHeaders, httpsPages(publicUrl));
  app.use(assets.router, logoRouter(context.settings.serviceLogo), refusePeople(context));
  app.use(leaksRouter(context));
  const parts = createSigninParts(context, pages);
  const frame = createPageShell(parts);
  const know = createVisitors(parts);
  app.get('/', knowVisitor(know), showStart(frame));
  app.use(lifecycleRouter(context, pages));
  app.use(migrateRouter(context, pages));
  app.use(['/apps', '/sign-out', '/support'], ...frame.guard);
  app.use(ownersRouter(parts, frame));
  app.use(supportRouter(frame));
  app.use(signinRouter(parts));
  app.use(pageNotFound);
  app.use(pageFailures({ logger: context.logger, pages, frame, know }));
  const { direct: calls, failures } = legacy;
  const directly = answerDirectly({ app, calls, failures, logger: context.logger });
  const trusts = app.get('trust proxy fn') as TrustProxy;
  const turns = createTurns();
  const door = { context, trusts, log: logHeads(context.logger, logRequests) };
  const inTurns = answerInTurns({ ...door, turns, otherwise: directly });
  const otherwise = refuseInOverload({ ...door, otherwise: inTurns });
  const answer = answerPlainly({ context, perMinute: rateLimitPerMinute, trusts, logRequests, otherwise });
  return { app, answer, messages: messageClassesOf(app), requestWait: turns.wait, findUnready };
}
