import { type RequestHandler, Router } from 'express';
import type { Context } from '../../domain/context.ts';
import { findRegisteredApp } from '../../domain/register-app.ts';
import type { Pages } from '../../shared/pages.ts';
import { PageError } from '../page-error.ts';
import { sendPage } from '../page-headers.ts';

/** GET /apps/:clientId: where the `reauthorize` link of a refused token leads. It says how to connect again. */
function showApp(context: Context, pages: Pages): RequestHandler {
  return async (req, res) => {
    const app = await findRegisteredApp(context, String(req.params['clientId']));
    if (!app) {
      throw new PageError(404, 'This app is not registered', {
        reason: 'The address names an app that is not known here.',
        next: 'Check the address, or ask the people who make the app.',
      });
    }
    sendPage(res, pages.render('app', { title: `Connect “${app.name}” again`, appName: app.name }));
  };
}

/** The pages of account holders and app owners. */
export function ownersRouter(context: Context, pages: Pages): Router {
  const router = Router({ caseSensitive: true, strict: true });
  router.get('/apps/:clientId', showApp(context, pages));
  return router;
}
