import type { Request, RequestHandler, Response, Router } from 'express';
import { type LiveView, liveViewOf } from '../../../domain/live/live-view.ts';
import { placeText } from '../../../domain/live/place.ts';
import { readNewest } from '../../../domain/live/read-live.ts';
import { PageError } from '../../pages/page-error.ts';
import { type PageShell, signedInPerson } from '../../site/page-shell.ts';
import { markUnattended, personOf } from '../../signin/session.ts';
import { createOpenLimit, type OpenLimit, statusOfTooMany } from '../open-limit.ts';
import { headFor } from '../head/app-head.ts';
import { streamCalls } from './live-stream.ts';
import { liveLine, toldWords } from './live-words.ts';

/**
 * /apps/:clientId/live: the calls of an app within a second of their arrival, so that the owner finds the program that
 * still makes them. Without script a click opens the page again, or the page reloads itself where the person asked for
 * it.
 */

const RELOAD_EVERY = 5;

async function viewOf({ context }: PageShell, req: Request): Promise<LiveView> {
  const { accountId, email } = signedInPerson(req);
  const view = await liveViewOf(context, { clientId: String(req.params['clientId']), accountId, email });
  if (view) return view;
  throw new PageError(404, 'There is no such app of yours', {
    reason: 'The address names an app that is not registered, or that has nothing to do with your account.',
    next: 'Look for it under “Your apps”. If it is missing there, sign in with the account that it belongs to.',
  });
}

const MODES = ['pause', 'reload'] as const;

type Mode = (typeof MODES)[number] | 'live';

function modeOf({ query }: Request): Mode {
  return MODES.find((mode) => query[mode] === 'on') ?? 'live';
}

/** Calls after this moment are marked as new, on a page with automatic reloads. */
function sinceOf({ query }: Request, now: number): number {
  const since = Number(query['since']);
  return Number.isSafeInteger(since) && since > 0 && since < now ? since : now;
}

/** Asks the browser to reload the page. The reload is marked as unattended, and does not prolong the session. */
function reloadSoon(res: Response): void {
  markUnattended(res.req);
  res.set('Refresh', String(RELOAD_EVERY));
}

function show(frame: PageShell): RequestHandler {
  const { context } = frame;
  return async (req, res) => {
    const view = await viewOf(frame, req);
    await context.live.watch(view.clientId);
    const [mode, now] = [modeOf(req), context.clock.now()];
    const since = sinceOf(req, now);
    const { calls, place } = await readNewest(context, view);
    const seesAll = view.access !== undefined;
    const lines = calls.map((call) => liveLine(call, { seesAll, isFresh: call.at > since }));
    if (mode === 'reload') reloadSoon(res);
    const address = `/apps/${view.clientId}/live`;
    frame.page(res, 'live', {
      title: `Is it me? Calls of “${view.app.name}”`,
      wide: true,
      app: view.app,
      seesAll,
      ...(await headFor(context, view, 'live')),
      mode,
      address,
      reloading: `${address}?reload=on&since=${since}`,
      events: `${address}/events?after=${placeText(place)}`,
      told: toldWords(lines.filter(({ isFresh }) => isFresh).length),
      lines,
      now,
      ...(mode === 'live' && { scripts: SCRIPTS, htmxConfig: HTMX_CONFIG }),
    });
  };
}

const SCRIPTS = ['/assets/htmx.js', '/assets/htmx-sse.js', '/assets/live.js'];

/** The content policy of pages forbids inline styles and evaluated text. */
const HTMX_CONFIG = JSON.stringify({
  includeIndicatorStyles: false,
  allowEval: false,
  allowScriptTags: false,
  historyEnabled: false,
});

/** A refusal for the script of the page. The script tells the person in its own words. */
function refuse(res: Response, status: number): void {
  res.status(status).set('Retry-After', '10').type('text').send('No place to look on at the moment.');
}

function stream(frame: PageShell, places: OpenLimit): RequestHandler {
  return async (req, res) => {
    if (!personOf(req)) return refuse(res, 401);
    const view = await viewOf(frame, req);
    // Express gives HEAD to this handler too, but HEAD has no stream to follow.
    if (req.method === 'HEAD') return void res.end();
    if (frame.context.live.ending.aborted) return refuse(res, 503);
    // If the browser has already left, the place would never be given back.
    if (res.destroyed) return;
    const taken = places.take(signedInPerson(req).accountId);
    if (typeof taken === 'string') return refuse(res, statusOfTooMany(res, taken));
    await streamCalls(frame, res, view).finally(taken);
  };
}

/** A stream holds a connection. */
const MOST = { ofOnePerson: 3, ofOneProcess: 100 };

/** Adds /apps/:clientId/live. */
export function liveRoutes(router: Router, frame: PageShell): void {
  router.get('/apps/:clientId/live', frame.requirePerson, show(frame));
  router.get('/apps/:clientId/live/events', stream(frame, createOpenLimit(MOST)));
}
