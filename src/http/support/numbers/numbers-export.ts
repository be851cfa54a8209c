import type { Request, RequestHandler, Response } from 'express';
import { COLUMNS, type ExportName, EXPORTS, exportRows } from '../../../domain/support/numbers-export.ts';
import { forecastOfAll } from '../../../domain/progress/forecaster.ts';
import { FORECAST_COLUMNS, forecastRow } from '../../../domain/progress/forecast-row.ts';
import { PROGRESS_DAYS } from '../../../domain/support/numbers.ts';
import { DAY, USAGE_KEPT } from '../../../shared/lifetimes.ts';
import { dayOf } from '../../../shared/moments.ts';
import { PageError } from '../../pages/page-error.ts';
import { type PageShell } from '../../site/page-shell.ts';
import { readerOf } from '../../site/reader.ts';
import { type FileForm, sendRowFile, withNulls } from '../../pages/row-files.ts';

/**
 * /support/numbers.csv and .json: the rows of the numbers, sent while they are read. Every JSON has the forecast of all
 * apps together at its head.
 */

const DAYS_MAX = USAGE_KEPT / DAY;

interface ExportRequest {
  by: ExportName;
  days: number;
}

function askedOf({ query }: Request): ExportRequest {
  const by = EXPORTS.find((one) => one === (query['by'] ?? 'day'));
  const given = query['days'] ?? String(PROGRESS_DAYS);
  const days = typeof given === 'string' && /^\d{1,3}$/.test(given) ? Number(given) : 0;
  if (by !== undefined && days >= 1 && days <= DAYS_MAX) return { by, days };
  throw new PageError(400, 'There is no such export', {
    reason: `by is “day”, “app” or “forecast”, and days is a number from 1 to ${DAYS_MAX}.`,
    next: 'Choose an export at /support/numbers.',
  });
}

/** Exports of one person within a minute. An export of all apps reads the whole table. */
const EXPORTS_A_MINUTE = 20;

function brake({ context }: PageShell, req: Request, res: Response): void {
  const { points, secondsLeft } = context.counts.count(['support exports', readerOf(req).id]);
  if (points <= EXPORTS_A_MINUTE) return;
  res.set('Retry-After', String(secondsLeft));
  throw new PageError(429, 'Too many exports', {
    reason: `One person can take ${EXPORTS_A_MINUTE} exports in a minute. Nothing was sent.`,
    next: `Wait ${secondsLeft} ${secondsLeft === 1 ? 'second' : 'seconds'} and open it again.`,
  });
}

/** Sends the export in one of the two forms. */
export function sendExport(frame: PageShell, form: FileForm): RequestHandler {
  const { context } = frame;
  return async (req, res) => {
    const asked = askedOf(req);
    brake(frame, req, res);
    const now = context.clock.now();
    const forecast = withNulls(FORECAST_COLUMNS, forecastRow(await forecastOfAll(context)));
    await sendRowFile(res, form, {
      name: `grantbridge-by-${asked.by}-${dayOf(now)}`,
      columns: COLUMNS[asked.by],
      head: { ...asked, exported_at: new Date(now).toISOString(), forecast },
      rows: exportRows(context, asked),
    });
  };
}
