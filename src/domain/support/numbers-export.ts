import { listAppsAfter } from '../../store/progress/progress.ts';
import { progressSince } from '../../store/progress/progress-days.ts';
import { lastDays } from '../usage/calls-per-day.ts';
import type { SupportDeps } from './deps.ts';
import { progressOf, sinceCounted } from '../progress/progress-of.ts';
import { forecastOfApps } from '../progress/forecaster.ts';
import { FORECAST_COLUMNS, forecastRow } from '../progress/forecast-row.ts';
import { yieldToEventLoop } from '../work/yield-to-event-loop.ts';

/**
 * The progress as rows for other programs. The names and the order of the columns never change; new columns come last.
 */

type ExportDeps = Pick<SupportDeps, 'store' | 'clock'>;

/** The kinds of export: all apps together day by day, each app, or the forecast of each app. */
export const EXPORTS = ['day', 'app', 'forecast'] as const;

export type ExportName = (typeof EXPORTS)[number];

/** One row by the names of its columns. */
export type ExportRow = Readonly<Record<string, string | number>>;

export const COLUMNS: Record<ExportName, readonly string[]> = {
  day: ['day', 'active', 'waiting', 'migrated', 'revoked'],
  app: [
    'client_id',
    'app_name',
    'day',
    'active',
    'unmapped',
    'reauthorization_required',
    'migrated',
    'revoked',
    'waiting_people',
  ],
  forecast: ['client_id', 'app_name', ...FORECAST_COLUMNS],
};

/** How many apps are read at once. */
const APPS_AT_ONCE = 100;

async function* byDay(context: ExportDeps, days: number): AsyncGenerator<ExportRow> {
  const all = await progressOf(context, 'all', { days });
  for (const { day, mapped, waiting, migrated, revoked } of sinceCounted(all))
    yield { day, active: mapped, waiting, migrated, revoked };
}

/** The names of the apps by client id, a part of all apps at a time. */
async function* inParts({ store }: ExportDeps): AsyncGenerator<Map<string, string>> {
  for (let after = ''; ; ) {
    const apps = await listAppsAfter(store.durable, after, APPS_AT_ONCE);
    if (apps.length === 0) return;
    yield new Map(apps.map(({ clientId, name }) => [clientId, name]));
    after = apps.at(-1)?.clientId ?? '';
    await yieldToEventLoop();
  }
}

async function* byApp(context: ExportDeps, days: number): AsyncGenerator<ExportRow> {
  const since = lastDays(context, days)[0] ?? '';
  for await (const names of inParts(context))
    for (const row of await progressSince(context.store.durable, [...names.keys()], since))
      yield { ...row, app_name: names.get(row.client_id) ?? '' };
}

/** Apps without a counted token have no row. */
async function* byForecast(context: ExportDeps): AsyncGenerator<ExportRow> {
  for await (const names of inParts(context))
    for (const [client_id, forecast] of await forecastOfApps(context, [...names.keys()]))
      if (forecast.kind !== 'none')
        yield { client_id, app_name: names.get(client_id) ?? '', ...forecastRow(forecast) };
}

/**
 * The rows of the last days, the oldest first. All apps together have one row for each day
 * from the first counted token on. Each app has one row for
 * each day on which its numbers changed, and the last row before these days, which gives the numbers at the start.
 * Forecasts are made from the last weeks, whatever days are asked for.
 */
export function exportRows(
  context: ExportDeps,
  { by, days }: { by: ExportName; days: number },
): AsyncGenerator<ExportRow> {
  if (by === 'forecast') return byForecast(context);
  return by === 'day' ? byDay(context, days) : byApp(context, days);
}
