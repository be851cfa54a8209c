import type { Request, RequestHandler, Response, Router } from 'express';
import { callsOf } from '../../../domain/usage/calls-of.ts';
import { changesCalls, endingOf, type Milestone, rehearsalId } from '../../../domain/lifecycle/lifecycle.ts';
import { ChangeRefused } from '../../../domain/lifecycle/changes/change-rules.ts';
import {
  type Rehearsal,
  rehearsalsOf,
  startRehearsal,
  stopRehearsal,
} from '../../../domain/lifecycle/changes/rehearse.ts';
import { DAY, USAGE_KEPT } from '../../../shared/lifetimes.ts';
import { markUnattended } from '../../signin/session.ts';
import { appLifecycleNow } from '../../wording/dates/card.ts';
import { type DateLine, dateLines } from '../../wording/dates/lines.ts';
import { fieldsOf, type PageShell } from '../../site/page-shell.ts';
import { leaveWith } from '../../pages/flash-notice.ts';
import { mayManage } from '../../../domain/apps/app-access.ts';
import { underHead } from '../head/app-head.ts';
import { type AppForOwner, managedApp, ownerOrigin, seenApp, type SeenApp } from '../owned-app.ts';
import { askAgain } from '../../site/problems.ts';
import { pastLine, reloadAfter, shownRehearsal } from './rehearsal-words.ts';

/**
 * /apps/:clientId/rehearse: the owner makes the app meet a date for five minutes and sees which calls fail. The page
 * needs no script: while new results may come, the page asks the browser to reload, unless `?watch=off` is set.
 */

const pageOf = ({ client_id: clientId }: AppForOwner) => `/apps/${clientId}/rehearse`;

/** The dates of the app that can be rehearsed. A date that changes no call has nothing to show. */
function aheadOf({ context }: PageShell, { client_id: clientId }: AppForOwner): DateLine[] {
  return dateLines(appLifecycleNow(context, clientId)).filter((line) => !line.isPast && line.changesCalls);
}

const NONE_AHEAD = 'No date is ahead for this app, so there is nothing to rehearse.';

const NONE_CHANGES =
  'The retirement changes no call of this app, so that a rehearsal would show nothing: tokens that are not connected are refused already. See which they are, and which programs still call.';

/** Why no date can be rehearsed. */
function noneWords({ context }: PageShell, { client_id: clientId }: AppForOwner): string {
  const isAhead = dateLines(appLifecycleNow(context, clientId)).some(({ isPast }) => !isPast);
  return isAhead ? NONE_CHANGES : NONE_AHEAD;
}

async function showRehearsal({ context }: PageShell, app: AppForOwner, rehearsal: Rehearsal | undefined) {
  if (!rehearsal) return undefined;
  const { kinds, isCut } = await callsOf(context, [rehearsalId(rehearsal.id)], { days: USAGE_KEPT / DAY });
  const lines = dateLines(appLifecycleNow(context, app.client_id));
  return shownRehearsal(rehearsal, { kinds, isCut, lines, now: context.clock.now() });
}

/** Asks the browser by a header to reload the page: an element would need a place in the one layout of all pages. */
function reloadSoon(res: Response, seconds: number | undefined): boolean {
  const isWatching = seconds !== undefined && res.req.query['watch'] !== 'off';
  if (isWatching) {
    markUnattended(res.req);
    res.set('Refresh', String(seconds));
  }
  return isWatching;
}

async function show(
  frame: PageShell,
  res: Response,
  { seen, problem }: { seen: SeenApp; problem?: string | undefined },
): Promise<void> {
  const { app, access } = seen;
  const now = frame.context.clock.now();
  const { running, past } = await rehearsalsOf(frame.context, app.client_id);
  const latest = running ?? past[0];
  // Reloading a page that answers a form would send the form again.
  const isWatching = problem === undefined && reloadSoon(res, latest && reloadAfter(latest, now));
  askAgain(frame, res, {
    template: 'rehearse',
    title: `Rehearse the end of the old API for “${app.name}”`,
    ...(await underHead(frame.context, seen, 'rehearse')),
    mayManage: mayManage(access),
    page: pageOf(app),
    ahead: aheadOf(frame, app),
    noneAhead: noneWords(frame, app),
    shown: await showRehearsal(frame, app, latest),
    past: past.filter((one) => one !== latest).map(pastLine),
    isWatching,
    problems: problem === undefined ? {} : { form: problem },
  });
}

const NOT_AHEAD = 'Choose one of the dates below.';

/** Why a rehearsal cannot begin now, in words for a person; undefined where it can. */
function hindrance(frame: PageShell, app: AppForOwner, rehearses: Milestone | undefined): string | undefined {
  const ahead = aheadOf(frame, app);
  if (ahead.length === 0) return noneWords(frame, app);
  if (rehearses === undefined) return NOT_AHEAD;
  const { lifecycle, now, hasBackend } = appLifecycleNow(frame.context);
  const met = (['retirement', 'sunset'] as const)
    .filter((milestone) => changesCalls(milestone, hasBackend))
    .map((milestone) => endingOf(lifecycle, milestone, { clientId: app.client_id, now }))
    .find((ending) => ending?.because === 'brownout' && ending.brownout.clientId === undefined);
  return (
    met &&
    'A short test outage (brownout) of the old API runs now, which this app meets too. Wait until it is over: it stands under “Dates” on the page of the app.'
  );
}

/** The chosen date, if it is a date ahead. */
function chosen(frame: PageShell, app: AppForOwner, req: Request): Milestone | undefined {
  const { rehearses } = fieldsOf(req);
  return aheadOf(frame, app).find(({ milestone }) => milestone === rehearses)?.milestone;
}

function start(frame: PageShell): RequestHandler {
  return async (req, res) => {
    const seen = await managedApp(frame.context, req);
    const { app } = seen;
    const refuse = async (problem: string) => show(frame, res.status(409), { seen, problem });
    const rehearses = chosen(frame, app, req);
    const problem = hindrance(frame, app, rehearses);
    if (problem !== undefined || rehearses === undefined) return refuse(problem ?? NOT_AHEAD);
    try {
      const asked = { clientId: app.client_id, rehearses, ...ownerOrigin(res) };
      await startRehearsal(frame.context, asked);
    } catch (error) {
      if (!(error instanceof ChangeRefused)) throw error;
      return refuse(error.message);
    }
    res.redirect(303, pageOf(app));
  };
}

function stop(frame: PageShell): RequestHandler {
  return async (req, res) => {
    const { app } = await managedApp(frame.context, req);
    const asked = { clientId: app.client_id, ...ownerOrigin(res) };
    const wasRunning = await stopRehearsal(frame.context, asked);
    const href = pageOf(app);
    if (wasRunning) return leaveWith(frame.context, res, { href, notice: 'rehearsal-stopped' });
    res.redirect(303, href);
  };
}

/** Adds the rehearsal of an owner. */
export function rehearseRoutes(router: Router, frame: PageShell): void {
  const showPage: RequestHandler = async (req, res) =>
    show(frame, res, { seen: await seenApp(frame.context, req) });
  router.get('/apps/:clientId/rehearse', frame.requirePerson, showPage);
  router.post('/apps/:clientId/rehearse', start(frame));
  router.post('/apps/:clientId/rehearse/stop', stop(frame));
}
