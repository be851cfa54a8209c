import { DAY } from '../../shared/lifetimes.ts';
import { countEndedByCause } from '../../store/support/ended-grants.ts';
import { countMails, MAILS_MAX, sumApps } from '../../store/support/numbers.ts';
import { readCountedAt } from '../../store/progress/progress.ts';
import { CAUSES } from './ended/ended-on-day.ts';
import { lastDays } from '../usage/calls-per-day.ts';
import type { SupportDeps } from './deps.ts';
import type { Forecast } from '../progress/forecast.ts';
import { createForecaster } from '../progress/forecaster.ts';
import { yieldToEventLoop } from '../work/yield-to-event-loop.ts';
import { type ProgressDay, progressOf, sinceCounted } from '../progress/progress-of.ts';

/** The progress of all apps together on the way to the new API. */

type NumbersDeps = Pick<SupportDeps, 'store' | 'clock'>;

/** For how many days the progress is listed, and for how many days mails and ended grants are. */
export const PROGRESS_DAYS = 90;
export const RECENT_DAYS = 30;

/** The grants that ended, by cause, on each of the days. */
interface EndsByCause {
  days: string[];
  causes: Array<{ cause: string; values: number[]; total: number }>;
}

const sum = (some: readonly number[]) => some.reduce((total, n) => total + n, 0);

async function endsOf({ store, clock }: NumbersDeps): Promise<EndsByCause> {
  const days = lastDays({ clock }, RECENT_DAYS);
  const values = new Map<string, number[]>();
  for (const [place, day] of days.entries()) {
    const from = Date.parse(day);
    for (const { cause, n } of await countEndedByCause(store.durable, {
      causes: CAUSES,
      from,
      to: from + DAY,
    })) {
      const known = values.get(cause) ?? days.map(() => 0);
      known[place] = n;
      values.set(cause, known);
    }
    await yieldToEventLoop();
  }
  return {
    days,
    causes: [...values].map(([cause, some]) => ({ cause, values: some, total: sum(some) })),
  };
}

export interface Numbers {
  /** The days from the first counted token on. */
  progress: ProgressDay[];
  forecast: Forecast;
  /**
   * The sums of the last count. `done` and `notDone` are numbers of apps. `people` counts a person once for each app.
   */
  totals: Awaited<ReturnType<typeof sumApps>>;
  /** The time of the last count; undefined where no count has come to its end. */
  countedAt: number | undefined;
  /** The mails of the last days, up to a bound. */
  mails: { sent: number; undeliverable: number; isMore: boolean };
  ends: EndsByCause;
}

/** All numbers of the page of numbers. */
export async function numbersOf(context: NumbersDeps): Promise<Numbers> {
  const { store, clock } = context;
  const [progress, forecast, totals, countedAt, mails, ends] = await Promise.all([
    progressOf(context, 'all', { days: PROGRESS_DAYS }),
    createForecaster(context),
    sumApps(store.durable),
    readCountedAt(store.durable),
    countMails(store.durable, clock.now() - RECENT_DAYS * DAY),
    endsOf(context),
  ]);
  const isMore = mails.sent + mails.undeliverable >= MAILS_MAX;
  return {
    progress: sinceCounted(progress),
    forecast: forecast(progress),
    totals,
    countedAt,
    mails: { ...mails, isMore },
    ends,
  };
}
