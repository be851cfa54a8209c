import { z } from 'zod';
import { clearShadow, describeShadow } from '../../../domain/reads/shadow.ts';
import { FORECAST_COLUMNS, forecastRow } from '../../../domain/progress/forecast-row.ts';
import { numbersOf, PROGRESS_DAYS } from '../../../domain/support/numbers.ts';
import { COLUMNS, exportPage, type ExportRow } from '../../../domain/support/numbers-export.ts';
import { DAY, USAGE_KEPT } from '../../../shared/lifetimes.ts';
import {
  count,
  cursorQuery,
  nextCursor,
  text,
  time,
  timeOrNull,
  toTimeOrNull,
  yesNo,
} from '../answers/parts.ts';
import { afterId } from '../answers/list-cursor.ts';
import { operation } from '../operation.ts';

/** How far everything has moved, and where both APIs differ. */

const known = z.union([text, z.number()]).nullable();
const recordOf = (columns: readonly string[]) =>
  z.object(Object.fromEntries(columns.map((name) => [name, known])));

/** What is not known is null. */
const withNulls = (columns: readonly string[], row: ExportRow) =>
  Object.fromEntries(columns.map((name) => [name, row[name] ?? null]));

const numbersAnswer = z.object({
  counted_at: timeOrNull,
  tokens: z.object({ connected: count, waiting: count, moved: count }),
  people_waiting: count,
  apps: z.object({ done: count, not_done: count }),
  forecast: recordOf(FORECAST_COLUMNS),
  progress: z.array(z.object({ day: text, connected: count, waiting: count, moved: count, revoked: count })),
  mails: z.object({ sent: count, undeliverable: count, has_more: yesNo }),
  ends: z.array(z.object({ cause: text, total: count, per_day: z.array(z.object({ day: text, count })) })),
});

const days = z.coerce
  .number()
  .int()
  .min(1)
  .max(USAGE_KEPT / DAY)
  .default(PROGRESS_DAYS);

const shadowAnswer = z.object({
  is_on: yesNo,
  compared: count,
  not_answered: count,
  differences: z.array(
    z.object({ endpoint: text, field: text, difference: text, times: count, compared: count, last_at: time }),
  ),
});

export const NUMBER_OPERATIONS = [
  operation({
    id: 'readNumbers',
    method: 'get',
    path: '/numbers',
    needs: 'reader',
    tag: 'numbers',
    summary: 'The progress of all apps together to the retirement, counted once an hour, with its forecast',
    answer: numbersAnswer,
    async run(context) {
      const { progress, forecast, totals, countedAt, mails, ends } = await numbersOf(context);
      return {
        counted_at: toTimeOrNull(countedAt),
        tokens: { connected: totals.active, waiting: totals.waiting, moved: totals.migrated },
        people_waiting: totals.people,
        apps: { done: totals.done, not_done: totals.notDone },
        forecast: withNulls(FORECAST_COLUMNS, forecastRow(forecast)),
        progress: progress.map(({ day, mapped, waiting, migrated, revoked }) => ({
          day,
          connected: mapped,
          waiting,
          moved: migrated,
          revoked,
        })),
        mails: { sent: mails.sent, undeliverable: mails.undeliverable, has_more: mails.isMore },
        ends: ends.causes.map(({ cause, total, values }) => ({
          cause,
          total,
          per_day: ends.days.map((day, place) => ({ day, count: values[place] ?? 0 })),
        })),
      };
    },
  }),
  operation({
    id: 'listNumbersByApp',
    method: 'get',
    path: '/numbers/apps',
    needs: 'reader',
    tag: 'numbers',
    summary: 'The numbers of each app, a row for each day on which they changed',
    query: cursorQuery.extend({ days }),
    answer: z.object({ rows: z.array(recordOf(COLUMNS.app)), next_cursor: nextCursor }),
    async run(context, { query }) {
      const { rows, next } = await exportPage(
        context,
        { by: 'app', days: query.days },
        afterId(query.cursor),
      );
      return { rows: rows.map((row) => withNulls(COLUMNS.app, row)), next_cursor: next ?? null };
    },
  }),
  operation({
    id: 'listForecasts',
    method: 'get',
    path: '/numbers/forecasts',
    needs: 'reader',
    tag: 'numbers',
    summary: 'When the last token of each app is connected',
    query: cursorQuery,
    answer: z.object({ rows: z.array(recordOf(COLUMNS.forecast)), next_cursor: nextCursor }),
    async run(context, { query }) {
      const asked = { by: 'forecast', days: PROGRESS_DAYS } as const;
      const { rows, next } = await exportPage(context, asked, afterId(query.cursor));
      return { rows: rows.map((row) => withNulls(COLUMNS.forecast, row)), next_cursor: next ?? null };
    },
  }),
  operation({
    id: 'readShadow',
    method: 'get',
    path: '/shadow',
    needs: 'reader',
    tag: 'numbers',
    summary: 'Where the old API and the new API answer differently',
    answer: shadowAnswer,
    async run(context) {
      const { compared, notAnswered, differences } = await describeShadow(context);
      return {
        is_on: context.settings.shadow,
        compared,
        not_answered: notAnswered,
        differences,
      };
    },
  }),
  operation({
    id: 'clearShadow',
    method: 'post',
    path: '/shadow/clear',
    needs: 'lead',
    tag: 'numbers',
    isWrite: true,
    summary: 'Deletes the counts of different answers, which begin anew',
    body: z.strictObject({}),
    answer: z.object({ is_cleared: yesNo }),
    async run(context, { origin }) {
      await clearShadow(context, origin);
      return { is_cleared: true };
    },
  }),
];
