import type { RequestHandler, Router } from 'express';
import { type Numbers, numbersOf, PROGRESS_DAYS, RECENT_DAYS } from '../../../domain/support/numbers.ts';
import { COLUMNS } from '../../../domain/support/numbers-export.ts';
import { stackedBars } from '../../charts/charts.ts';
import { progressChart } from '../../charts/progress-series.ts';
import { fullDayWords } from '../../charts/chart-words.ts';
import { appLifecycleNow } from '../../wording/dates/card.ts';
import type { AppLifecycle } from '../../../domain/lifecycle/old-api-status.ts';
import { forecastSentences } from '../../wording/forecast-words.ts';
import { nextLine } from '../../wording/dates/lines.ts';
import { timeWords } from '../../wording/dates/words.ts';
import { daysLeftWords } from '../../wording/days-left.ts';
import type { PageShell } from '../../site/page-shell.ts';
import { ENDS } from '../../../domain/tokens/standing/ends.ts';
import { END_COLOURS } from '../../wording/colours.ts';
import { endedAddress } from '../ended/ended-desk.ts';
import { sendExport } from './numbers-export.ts';
import { moveWords, percentWords } from './numbers-words.ts';

/** /support/numbers: how far the move to the new API is, as a report for managers, to read and to export. */

/** A chart of fewer days begins with the first count. */
function progressTitle(days: Numbers['progress']): string {
  const [first] = days;
  return first === undefined || days.length >= PROGRESS_DAYS
    ? `Tokens on each of the last ${PROGRESS_DAYS} days`
    : `Tokens on each day since the first count on ${fullDayWords(first.day)}`;
}

/** The forecast in sentences, and the chart with its line. */
function shownProgress({ progress, forecast }: Numbers, asOf: AppLifecycle) {
  const told = forecastSentences(forecast, asOf);
  const drawn = told.length > 0 ? forecast : undefined;
  const of = { id: 'progress', title: progressTitle(progress) };
  const retiresAt = asOf.lifecycle.dates.retirement;
  return { forecast: told, progressChart: progressChart(of, progress, { retiresAt, forecast: drawn }) };
}

/** The causes, in the same order on every day. */
function endsInOrder({ ends }: Numbers) {
  return Object.keys(ENDS).flatMap((cause) => ends.causes.find((one) => one.cause === cause) ?? []);
}

const labelOf = (cause: string) =>
  Object.hasOwn(ENDS, cause) ? ENDS[cause as keyof typeof ENDS].label : cause;

function endsChart(numbers: Numbers): string {
  return stackedBars({
    id: 'ends',
    title: 'By day and cause',
    // The days of the chart are UTC days.
    linkOf: (day) => ({
      href: endedAddress({ day, zone: 'UTC' }),
      label: `What ended on ${fullDayWords(day)}`,
    }),
    days: numbers.ends.days,
    series: endsInOrder(numbers).map(({ cause, values }) => ({
      label: labelOf(cause),
      kind: Object.hasOwn(END_COLOURS, cause) ? END_COLOURS[cause as keyof typeof ENDS] : 'muted',
      values,
    })),
  });
}

/** The date that counts now, in UTC like all days of the report; undefined where none is set. */
function dateWords(asOf: AppLifecycle): string | undefined {
  const line = nextLine(asOf);
  if (!line) return undefined;
  const { milestone, left } = line;
  const at = timeWords(line.at);
  if (!line.changesCalls) return `The retirement of the old API, on ${at}, changes no call here.`;
  if (!left) return `The old API ${milestone === 'sunset' ? 'ended' : 'retired'} on ${at}.`;
  return `The old API ${milestone === 'sunset' ? 'ends' : 'retires'} ${daysLeftWords(left)}, on ${at}.`;
}

function show(frame: PageShell): RequestHandler {
  const { context } = frame;
  return async (_req, res) => {
    const numbers = await numbersOf(context);
    const asOf = appLifecycleNow(context);
    const { totals, mails } = numbers;
    frame.page(res, 'support-numbers', {
      title: 'Numbers',
      wide: true,
      totals,
      share: percentWords(totals.active + totals.migrated, totals.active + totals.migrated + totals.waiting),
      summary: moveWords(totals),
      countedAt: totals.counted > 0 ? numbers.countedAt : undefined,
      nextDate: dateWords(asOf),
      ...shownProgress(numbers, asOf),
      endsChart: endsChart(numbers),
      ends: endsInOrder(numbers).map(({ cause, total }) => ({ label: labelOf(cause), total })),
      mails,
      days: RECENT_DAYS,
      columns: COLUMNS,
    });
  };
}

/** Adds /support/numbers and its exports. */
export function numberRoutes(router: Router, frame: PageShell): void {
  router.get('/support/numbers', show(frame));
  router.get('/support/numbers.csv', sendExport(frame, 'csv'));
  router.get('/support/numbers.json', sendExport(frame, 'json'));
}
