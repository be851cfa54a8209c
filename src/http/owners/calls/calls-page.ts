import type { RequestHandler, Router } from 'express';
import { type CallsSubject, callersOf } from '../../../domain/usage/callers.ts';
import {
  type CallSummary,
  callsOf,
  endpointsElsewhere,
  endpointsPassed,
  programWords,
} from '../../../domain/usage/calls-of.ts';
import { callDaysOf, lastDays } from '../../../domain/usage/calls-per-day.ts';
import { type CountedDays, gapAfterNone, gapWords, noneWords } from '../../../domain/usage/counted-days.ts';
import { stackedBars } from '../../charts/charts.ts';
import type { PageShell } from '../../site/page-shell.ts';
import { byCarrier, byKind, callLine } from '../../charts/call-charts.ts';
import { appLifecycleNow } from '../../wording/dates/card.ts';
import { dateLines, endOf } from '../../wording/dates/lines.ts';
import { headFor } from '../head/app-head.ts';
import { type ShownApp, shownApp } from '../shown-app.ts';
import { SPANS, spanOf } from './spans.ts';

/**
 * GET /apps/:clientId/calls: the calls by day. The owner sees the calls of all tokens, other people see the calls of
 * their own tokens.
 */

/** At most this many kinds of calls are in the table. */
const KINDS_SHOWN = 100;

async function chartsOf(
  { context }: PageShell,
  who: CallsSubject,
  { days, isPartial }: CountedDays,
): Promise<string[]> {
  const calls = await callDaysOf(context, who, { days });
  if (calls.length === 0) return [];
  const axis = lastDays(context, days);
  return [
    stackedBars({
      id: 'by-kind',
      title: 'Calls each day by kind',
      days: axis,
      isPartial,
      series: byKind(axis, calls),
    }),
    stackedBars({
      id: 'by-carrier',
      title: 'Calls each day by the place of the token in the call',
      days: axis,
      isPartial,
      series: byCarrier(axis, calls),
    }),
  ];
}

/**
 * The date of the retirement, and the endpoints that end with it even for connected tokens. Without an old API no call
 * is passed through now, and the bridge does not know whether one ever was.
 */
function endingOf({ context }: PageShell, { app }: ShownApp, kinds: CallSummary['kinds']) {
  const asOf = appLifecycleNow(context, app.client_id);
  const { hasBackend } = asOf;
  return {
    elsewhere: hasBackend ? endpointsPassed(kinds) : endpointsElsewhere(kinds),
    hasBackend,
    // After the sunset the page speaks of the sunset alone, because every call is refused.
    ended: endOf(asOf),
    retirement: dateLines(asOf).find(({ milestone }) => milestone === 'retirement'),
  };
}

function showCalls(frame: PageShell): RequestHandler {
  const { context } = frame;
  return async (req, res) => {
    const shown = await shownApp(context, req);
    const { app, seesAll } = shown;
    const days = spanOf(req);
    const { who, within } = await callersOf(context, shown.of);
    const counted = within(days);
    const { kinds, last, isCut } = await callsOf(context, who, { days });
    frame.page(res, 'calls', {
      title: seesAll ? `Calls of “${app.name}”` : `Calls of “${app.name}” with your tokens`,
      app,
      seesAll,
      ...(await headFor(context, shown, 'calls')),
      days,
      spans: SPANS.map((span) => ({ days: span, isChosen: span === days })),
      charts: await chartsOf(frame, who, counted),
      lines: kinds.slice(0, KINDS_SHOWN).map(callLine),
      more: Math.max(0, kinds.length - KINDS_SHOWN),
      isCut,
      last: last && { at: last.at, program: programWords(last.userAgent) },
      isPartial: counted.isPartial,
      none: noneWords('No call', counted),
      gap: gapWords(counted),
      gapAfterNone: gapAfterNone(counted),
      ...endingOf(frame, shown, kinds),
    });
  };
}

/** Adds /apps/:clientId/calls. */
export function callsRoutes(router: Router, frame: PageShell): void {
  router.get('/apps/:clientId/calls', frame.requirePerson, showCalls(frame));
}
