import { listAppsAfter } from '../../store/progress/progress.ts';
import { progressSince } from '../../store/progress/progress-days.ts';
import { lastDays } from '../usage/calls-per-day.ts';
import type { SupportDeps } from './deps.ts';
import { progressOf, sinceCounted } from '../progress/progress-of.ts';
import { yieldToEventLoop } from '../work/yield-to-event-loop.ts';

/**
 * The progress as rows for other programs. The names and the order of the columns never change; new columns come last.
 */

type ExportDeps = Pick<SupportDeps, 'store' | 'clock'>;

/** The kinds of export: all apps together day by day, or each app. */
export const EXPORTS = ['day', 'app'] as const;

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
};

/** How many apps are read at once. */
const APPS_AT_ONCE = 100;

async function* byDay(context: ExportDeps, days: number): AsyncGenerator<ExportRow> {
  const all = await progressOf(context, 'all', { days });
  for (const { day, mapped, waiting, migrated, revoked } of sinceCounted(all))
    yield { day, active: mapped, waiting, migrated, revoked };
}

async function* byApp(context: ExportDeps, days: number): AsyncGenerator<ExportRow> {
  const since = lastDays(context, days)[0] ?? '';
  for (let after = ''; ; ) {
    const apps = await listAppsAfter(context.store.durable, after, APPS_AT_ONCE);
    if (apps.length === 0) return;
    const names = new Map(apps.map(({ clientId, name }) => [clientId, name]));
    for (const row of await progressSince(context.store.durable, [...names.keys()], since))
      yield { ...row, app_name: names.get(row.client_id) ?? '' };
    after = apps.at(-1)?.clientId ?? '';
    await yieldToEventLoop();
  }
}

/**
 * The rows of the last days, the oldest first. All apps together have one row for each day
 * from the first counted token on. Each app has one row for
 * each day on which its numbers changed, and the last row before these days, which gives the numbers at the start.
 */
export function exportRows(
  context: ExportDeps,
  { by, days }: { by: ExportName; days: number },
): AsyncGenerator<ExportRow> {
  return by === 'day' ? byDay(context, days) : byApp(context, days);
}
