import { createForecaster } from '../../../domain/progress/forecaster.ts';
import { lastCountAt } from '../../../domain/progress/last-count.ts';
import { progressOfApps, sinceCounted } from '../../../domain/progress/progress-of.ts';
import { progressChart } from '../../charts/progress-series.ts';
import { appLifecycleNow } from '../../wording/dates/card.ts';
import { retirementLine } from '../../wording/dates/lines.ts';
import { forecastSentences } from '../../wording/forecast-words.ts';
import type { OwnersDeps } from '../deps.ts';

/** How the tokens of one app move to the new API, day by day, and when the last one is connected. */

const DAYS = 90;

/** The forecast in sentences, and the chart. `waiting`: how many tokens wait now; the kept numbers are up to an hour old. */
export async function appProgress(
  context: OwnersDeps,
  { clientId, name, waiting }: { clientId: string; name: string; waiting: number },
) {
  const days = (await progressOfApps(context, [clientId], { days: DAYS })).get(clientId) ?? [];
  const forecast = (await createForecaster(context))(days);
  const asOf = appLifecycleNow(context, clientId);
  const told = waiting > 0 ? forecastSentences(forecast, asOf) : [];
  const of = { id: 'progress-chart', title: `Tokens of ${name} over time` };
  const retiresAt = retirementLine(asOf)?.at;
  const drawn = told.length > 0 ? forecast : undefined;
  return {
    forecast: told,
    chart: progressChart(of, sinceCounted(days), { retiresAt, forecast: drawn }),
    countedAt: await lastCountAt(context),
  };
}
