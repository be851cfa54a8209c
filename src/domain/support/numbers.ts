import { DAY } from '../../shared/lifetimes.ts';
import { countDeaths, countMails, DEATHS_MAX, MAILS_MAX, sumApps } from '../../store/support/numbers.ts';
import { readCountedAt } from '../../store/progress/progress.ts';
import { lastDays } from '../usage/calls-per-day.ts';
import type { Context } from '../context.ts';
import { type ProgressDay, progressOf } from '../progress/progress-of.ts';

/** How far the move to the new API is, for all apps together. */

type Parts = Pick<Context, 'store' | 'clock'>;

/** Days that the progress is told of, and those that mails and ends are. */
export const PROGRESS_DAYS = 90;
export const RECENT_DAYS = 30;

/** Grants that ended, by cause, on each of the days. */
interface Ends {
  days: string[];
  causes: Array<{ cause: string; values: number[]; total: number }>;
  /** Whether more ended than are counted. */
  isMore: boolean;
}

const sum = (some: readonly number[]) => some.reduce((total, n) => total + n, 0);

async function endsOf({ store, clock }: Parts): Promise<Ends> {
  const days = lastDays({ clock }, RECENT_DAYS);
  const today = Math.floor(clock.now() / DAY);
  const first = today - RECENT_DAYS + 1;
  const rows = await countDeaths(store.durable, first * DAY);
  const values = new Map<string, number[]>();
  for (const { day, cause, n } of rows) {
    const known = values.get(cause ?? 'lost') ?? days.map(() => 0);
    if (day <= today) known[day - first] = n;
    values.set(cause ?? 'lost', known);
  }
  return {
    days,
    causes: [...values].map(([cause, some]) => ({ cause, values: some, total: sum(some) })),
    isMore: sum(rows.map(({ n }) => n)) >= DEATHS_MAX,
  };
}

export interface Numbers {
  progress: ProgressDay[];
  /** As last counted; `done` and `notDone` are apps, `people` count once for each app. */
  totals: Awaited<ReturnType<typeof sumApps>>;
  /** When that was; undefined where nothing has been counted to its end. */
  countedAt: number | undefined;
  /** In the last days, up to a bound. */
  mails: { sent: number; undeliverable: number; isMore: boolean };
  ends: Ends;
}

/** All that the page of numbers shows. */
export async function numbersOf(context: Parts): Promise<Numbers> {
  const { store, clock } = context;
  const [progress, totals, countedAt, mails, ends] = await Promise.all([
    progressOf(context, 'all', { days: PROGRESS_DAYS }),
    sumApps(store.durable),
    readCountedAt(store.durable),
    countMails(store.durable, clock.now() - RECENT_DAYS * DAY),
    endsOf(context),
  ]);
  const isMore = mails.sent + mails.undeliverable >= MAILS_MAX;
  return { progress, totals, countedAt, mails: { ...mails, isMore }, ends };
}
