import type { RequestHandler, Router } from 'express';
import type { OwnersDeps } from '../deps.ts';
import {
  type ProgressDay,
  progressOf,
  progressOfApps,
  sinceCounted,
  tokensCounted,
} from '../../../domain/progress/progress-of.ts';
import { lastCountAt } from '../../../domain/progress/last-count.ts';
import { appsOfOwner } from '../../../domain/tokens/tokens-of-account.ts';
import { dayOf } from '../../../shared/moments.ts';
import { lines } from '../../charts/charts.ts';
import { progressSeries } from '../../charts/progress-series.ts';
import { type PageShell, signedInPerson } from '../../site/page-shell.ts';
import { appLifecycleNow } from '../../wording/dates/card.ts';
import type { AppLifecycle } from '../../../domain/lifecycle/old-api-status.ts';
import { type DateLine, dateLines } from '../../wording/dates/lines.ts';
import { progressWords } from './progress-words.ts';
import { sortByUrgency, urgencyOf } from '../home/urgency.ts';

/** GET /apps/progress: how the tokens of a person's apps move away from the old API, and how near the retirement is. */

const DAYS = 90;

/** A page with a chart for each of very many apps is slow, and nobody reads it. */
const APPS_SHOWN = 12;

/** The retirement for an app, or for apps without more time; undefined where the retirement changes no call. */
function retirementOf(asOf: AppLifecycle): DateLine | undefined {
  return dateLines(asOf).find(({ milestone, changesCalls }) => milestone === 'retirement' && changesCalls);
}

interface ChartHeading {
  id: string;
  title: string;
  isSmall?: boolean;
}

/** The chart; '' before the second counted day, because a line of a single day would be a dot. */
function chartOf(
  counted: readonly ProgressDay[],
  retirement: DateLine | undefined,
  of: ChartHeading,
): string {
  if (counted.length < 2) return '';
  return lines({
    ...of,
    days: counted.map(({ day }) => day),
    series: progressSeries(counted),
    marks: retirement ? [{ day: dayOf(retirement.at), label: 'Retirement' }] : [],
  });
}

function shown(days: readonly ProgressDay[], asOf: AppLifecycle, of: ChartHeading) {
  const counted = sinceCounted(days);
  const last = counted.at(-1) ?? { mapped: 0, waiting: 0, migrated: 0 };
  return { words: progressWords(last, asOf), chart: chartOf(counted, retirementOf(asOf), of) };
}

interface App {
  clientId: string;
  name: string;
}

/** The apps with the most tokens, in the order of their names. */
async function largest(context: OwnersDeps, apps: readonly App[]): Promise<App[]> {
  if (apps.length <= APPS_SHOWN) return [...apps];
  const tokens = await tokensCounted(
    context,
    apps.map(({ clientId }) => clientId),
  );
  const sizeOf = ({ clientId }: App) => tokens.get(clientId)?.alive ?? 0;
  const chosen = new Set(apps.toSorted((one, other) => sizeOf(other) - sizeOf(one)).slice(0, APPS_SHOWN));
  return apps.filter((app) => chosen.has(app));
}

/** The sentence and the chart of each app, the most urgent app first. */
async function ofEach(context: OwnersDeps, apps: readonly App[]) {
  const ids = apps.map(({ clientId }) => clientId);
  const progress = await progressOfApps(context, ids, { days: DAYS });
  const all = apps.map(({ clientId, name }) => {
    const charted = { id: `app-${clientId}`, title: `Tokens of ${name}`, isSmall: true };
    const days = progress.get(clientId) ?? [];
    const asOf = appLifecycleNow(context, clientId);
    const urgency = urgencyOf({ name, waiting: days.at(-1)?.waiting ?? 0 }, asOf);
    return { clientId, name, urgency, ...shown(days, asOf, charted) };
  });
  return sortByUrgency(all, ({ urgency }) => urgency);
}

function showProgress(frame: PageShell): RequestHandler {
  const { context } = frame;
  return async (req, res) => {
    const { accountId: ownerAccountId } = signedInPerson(req);
    const apps = await appsOfOwner(context, ownerAccountId);
    const all = await progressOf(context, { ownerAccountId }, { days: DAYS });
    const listed = await largest(context, apps);
    const [asOf, countedAt] = [appLifecycleNow(context), await lastCountAt(context)];
    frame.page(res, 'progress', {
      title: 'Progress',
      count: apps.length,
      leftOut: apps.length - listed.length,
      countedAt,
      isUncounted: countedAt === undefined && sinceCounted(all).length === 0,
      retirement: retirementOf(asOf),
      all: shown(all, asOf, { id: 'all', title: 'Tokens of all your apps' }),
      apps: await ofEach(context, listed),
    });
  };
}

/** Adds /apps/progress. */
export function progressRoutes(router: Router, frame: PageShell): void {
  router.get('/apps/progress', frame.requirePerson, showProgress(frame));
}
