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

/** A part of all apps: their names by client id, in the order of the ids. */
type AppNames = ReadonlyMap<string, string>;

async function partAfter({ store }: ExportDeps, after: string): Promise<AppNames> {
  const apps = await listAppsAfter(store.durable, after, APPS_AT_ONCE);
  return new Map(apps.map(({ clientId, name }) => [clientId, name]));
}

const lastIn = (names: AppNames): string | undefined => [...names.keys()].at(-1);

/** All apps, a part at a time. */
async function* inParts(context: ExportDeps): AsyncGenerator<AppNames> {
  for (let after: string | undefined = ''; after !== undefined; ) {
    const names = await partAfter(context, after);
    yield names;
    after = lastIn(names);
    await yieldToEventLoop();
  }
}

async function progressRows(context: ExportDeps, names: AppNames, days: number): Promise<ExportRow[]> {
  const since = lastDays(context, days)[0] ?? '';
  const rows = names.size === 0 ? [] : await progressSince(context.store.durable, [...names.keys()], since);
  return rows.map((row) => ({ ...row, app_name: names.get(row.client_id) ?? '' }));
}

/** Apps without a counted token have no row. */
async function forecastRows(context: ExportDeps, names: AppNames): Promise<ExportRow[]> {
  if (names.size === 0) return [];
  const forecasts = await forecastOfApps(context, [...names.keys()]);
  return [...forecasts].flatMap(([client_id, forecast]) =>
    forecast.kind === 'none'
      ? []
      : [{ client_id, app_name: names.get(client_id) ?? '', ...forecastRow(forecast) }],
  );
}

interface AppExport {
  by: Exclude<ExportName, 'day'>;
  days: number;
}

const rowsOfPart = (context: ExportDeps, { by, days }: AppExport, names: AppNames): Promise<ExportRow[]> =>
  by === 'app' ? progressRows(context, names, days) : forecastRows(context, names);

async function* byApps(context: ExportDeps, asked: AppExport): AsyncGenerator<ExportRow> {
  for await (const names of inParts(context)) yield* await rowsOfPart(context, asked, names);
}

/** The rows of the next apps after one, for programs that read page by page; `next` is undefined after the last app. */
export async function exportPage(
  context: ExportDeps,
  asked: AppExport,
  after = '',
): Promise<{ rows: ExportRow[]; next: string | undefined }> {
  const names = await partAfter(context, after);
  const next = names.size === APPS_AT_ONCE ? lastIn(names) : undefined;
  return { rows: await rowsOfPart(context, asked, names), next };
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
  return by === 'day' ? byDay(context, days) : byApps(context, { by, days });
}
