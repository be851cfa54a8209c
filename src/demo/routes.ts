import { join } from 'node:path';
import { type RequestHandler, type Response, Router } from 'express';
import { createPages } from '../shared/pages.ts';
import { projectRoot } from '../shared/project-root.ts';
import { demoOf, type Fail, readProfiles } from './connect.ts';
import { describeFailedCall, type Failure, lostSession } from './failures.ts';
import { presentMessage } from './message.ts';
import type { OldApi } from './old-api.ts';
import { connectPath } from './old-client.ts';
import { addStep, type DemoSession } from './session.ts';
import type { DemoSettings } from './settings.ts';

/** Writes the demo's pages. */
export interface Show {
  start: (res: Response, demo: DemoSession) => void;
  flow: (res: Response, demo: DemoSession) => void;
  failure: Fail;
}

/** The demo's pages for one set of settings; the app's secret is masked in everything they show. */
export function createShow({ bridgeUrl, clientId, clientSecret }: DemoSettings): Show {
  const pages = createPages(join(projectRoot, 'src', 'demo', 'views'));
  const site = { siteName: 'Old integration (demo)', siteLink: '/', bridgeUrl, clientId, connectPath };
  const steps = (demo: DemoSession) =>
    demo.steps.map((step) => ({
      ...step,
      request: presentMessage(step.request, clientSecret),
      answer: step.answer && presentMessage(step.answer, clientSecret),
    }));
  const send = (res: Response, template: string, data: Record<string, unknown>) => {
    res.type('html').send(pages.render(template, { ...site, ...data }));
  };
  return {
    start: (res, demo) => send(res, 'start', { title: 'Connect', connected: demo.token !== undefined }),
    flow: (res, demo) => send(res, 'flow', { title: 'The old flow, step by step', demo, steps: steps(demo) }),
    failure: (req, res, failure) => {
      const demo = demoOf(req);
      res.status(failure.status);
      send(res, 'failure', { ...failure, connected: demo.token !== undefined, steps: steps(demo) });
    },
  };
}

// A page of another origin can make the browser post here with the person's cookie; its origin gives it away.
function onlyOwnForms(publicUrl: string): RequestHandler {
  return (req, res, next) => {
    if (req.method === 'GET' || req.method === 'HEAD' || req.get('origin') === publicUrl) return next();
    res.status(403).type('text').send('This form was not sent from the demo itself.');
  };
}

/** The demo's own addresses, next to those of the client library. */
export function createRoutes(settings: DemoSettings, oldApi: OldApi, show: Show): Router {
  const routes = Router();
  routes.use(onlyOwnForms(settings.publicUrl));
  routes.get('/', (req, res) => {
    // The library sends the browser here when it finds no session for a callback.
    if (req.query['error'] !== undefined) return show.failure(req, res, lostSession);
    show.start(res, demoOf(req));
  });
  routes.get('/flow', (req, res) => {
    if (demoOf(req).token === undefined) return res.redirect('/');
    show.flow(res, demoOf(req));
  });
  routes.post('/profiles', async (req, res) => {
    const demo = demoOf(req);
    if (demo.token === undefined) return res.redirect(303, '/');
    const failure = describeFailedCall((await readProfiles(demo, oldApi)).answer);
    if (failure) return show.failure(req, res, failure);
    res.redirect(303, '/flow');
  });
  routes.post('/deauthorize', async (req, res) => {
    const demo = demoOf(req);
    if (demo.token === undefined) return res.redirect(303, '/');
    const failure = await deauthorize(demo, oldApi);
    if (failure) return show.failure(req, res, failure);
    res.redirect(303, '/flow');
  });
  return routes;
}

async function deauthorize(demo: DemoSession, oldApi: OldApi): Promise<Failure | undefined> {
  const exchange = await oldApi.deauthorize(demo.token ?? '');
  addStep(demo, {
    title: 'The app gives its access back',
    remark: 'Afterwards the token is answered like any invalid one.',
    ...exchange,
  });
  const failure = describeFailedCall(exchange.answer);
  if (!failure) Object.assign(demo, { deauthorized: true, profiles: [] });
  return failure;
}
