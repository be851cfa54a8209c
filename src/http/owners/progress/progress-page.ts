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
import { createForecaster, type Forecaster } from '../../../domain/progress/forecaster.ts';
import { forecastSentences } from '../../wording/forecast-words.ts';
import { progressChart } from '../../charts/progress-series.ts';
import { type PageShell, signedInPerson } from '../../site/page-shell.ts';
import { appLifecycleNow } from '../../wording/dates/card.ts';
import type { AppLifecycle } from '../../../domain/lifecycle/old-api-status.ts';
import { retirementLine } from '../../wording/dates/lines.ts';
import { progressWords } from './progress-words.ts';
import { sortByUrgency, urgencyOf } from '../home/urgency.ts';

/** GET /apps/progress: how the tokens of a person's apps move away from the old API, and how near the retirement is. */

const DAYS = 90;

/** A page with a chart for each of very many apps is slow, and nobody reads it. */
const APPS_SHOWN = 10;

/** The sentences of these apps, with the chart. Forecasts are made by `forecast`. */
function shown(days: readonly ProgressDay[], asOf: AppLifecycle, { forecast, ...of }: ShownProgress) {
  const counted = sinceCounted(days);
  const last = counted.at(-1) ?? { mapped: 0, waiting: 0, migrated: 0 };
  const told = forecastSentences(forecast(days), asOf);
  const retiresAt = retirementLine(asOf)?.at;
  const drawn = told.length > 0 ? forecast(days) : undefined;
  return {
    words: progressWords(last, asOf),
    forecast: told,
    chart: progressChart(of, counted, { retiresAt, forecast: drawn }),
  };
}

interface ShownProgress {
  id: string;
  title: string;
  isSmall?: boolean;
  forecast: Forecaster;
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
async function ofEach(context: OwnersDeps, apps: readonly App[], forecast: Forecaster) {
  const ids = apps.map(({ clientId }) => clientId);
  const progress = await progressOfApps(context, ids, { days: DAYS });
  const all = apps.map(({ clientId, name }) => {
    const charted = { id: `app-${clientId}`, title: `Tokens of ${name}`, isSmall: true, forecast };
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
    const forecast = await createForecaster(context);
    frame.page(res, 'progress', {
      title: 'Progress',
      count: apps.length,
      leftOut: apps.length - listed.length,
      countedAt,
      isUncounted: countedAt === undefined && sinceCounted(all).length === 0,
      retirement: retirementLine(asOf),
      all: shown(all, asOf, { id: 'all', title: 'Tokens of all your apps', forecast }),
      apps: await ofEach(context, listed, forecast),
    });
  };
}

/** Adds /apps/progress. */
export function progressRoutes(router: Router, frame: PageShell): void {
  router.get('/apps/progress', frame.requirePerson, showProgress(frame));
}
