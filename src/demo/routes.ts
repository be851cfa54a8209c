import { type RequestHandler, Router } from 'express';
import { demoOf, readProfiles } from './connect.ts';
import { describeFailedCall, type Failure, lostSession } from './failures.ts';
import type { OldApi } from './old-api.ts';
import { createPostRoutes } from './posts/post-routes.ts';
import { addStep, type DemoSession } from './session.ts';
import type { DemoSettings } from './settings.ts';
import type { DemoPages } from './show.ts';

// A page of another origin can make the browser post here with the person's cookie. The `Origin` header reveals such a
// post.
function onlyOwnForms(publicUrl: string): RequestHandler {
  return (req, res, next) => {
    if (req.method === 'GET' || req.method === 'HEAD' || req.get('origin') === publicUrl) return next();
    res.status(403).type('text').send('This form was not sent from the demo itself.');
  };
}

/** The demo's own addresses, next to the addresses of the client library. */
export function createRoutes(settings: DemoSettings, oldApi: OldApi, show: DemoPages): Router {
  const routes = Router();
  routes.use(onlyOwnForms(settings.publicUrl));
  routes.get('/', (req, res) => {
    // The library sends the browser here when a callback has no session.
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
  routes.use(createPostRoutes(oldApi, show));
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
