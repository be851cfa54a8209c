import { type RequestHandler, Router } from 'express';
import type { MigrateDeps } from './deps.ts';
import type { PageRenderer } from '../../shared/pages.ts';
import { sendPage } from '../pages/page-headers.ts';
import { onlyRead } from '../pages/only-read.ts';
import { brake } from '../pages/brake.ts';
import { addressesIn } from './addresses.ts';
import { shownCalls } from './shown-calls.ts';
import { CALLS_PAGE } from '../wire/successor-link.ts';
import { wantedFirst } from './wanted-language.ts';

/** GET /migrate/calls: every old call beside the new call, for everybody. */

/** The page is long, and is rendered anew for each request. */
const READERS = { what: 'pages of all calls', perMinute: 600 };

function showCalls(context: MigrateDeps, pages: PageRenderer): RequestHandler {
  return (req, res) => {
    const shown = shownCalls({ addresses: addressesIn(context), languages: wantedFirst(req) });
    const html = pages.render('migrate-calls', {
      title: 'The old calls beside the new ones',
      narrow: false,
      wide: true,
      here: CALLS_PAGE,
      settingsUrl: context.settings.modernSettingsUrl,
      ...shown,
    });
    sendPage(res, html);
  };
}

/** Mount this after the headers of pages. */
export function migrateRouter(context: MigrateDeps, pages: PageRenderer): Router {
  const router = Router({ caseSensitive: true, strict: true });
  router
    .route(CALLS_PAGE)
    .get(brake(context, READERS), showCalls(context, pages))
    .all(onlyRead('It shows calls and takes nothing.'));
  return router;
}
