import type { AppState } from '../../../domain/tokens/app-state.ts';
import type { AppLifecycle } from '../../../domain/lifecycle/old-api-status.ts';
import { brownoutLines, dateLines } from '../../wording/dates/lines.ts';
import { type DaysLeft, daysLeft } from '../../wording/days-left.ts';

/** The next date that changes something for an app, in a few words. */

export interface NextChange {
  /** What happens then. Without a time: why no date follows. */
  words: string;
  at?: number;
  /** How far off it is; undefined once it has passed. */
  left?: DaysLeft | undefined;
  /** Whether it runs. */
  isNow?: boolean;
  kind?: 'warning' | '';
}

const NAMES = { retirement: 'Retirement', sunset: 'Sunset' } as const;

const OVER: Partial<Record<AppState, string>> = {
  moved: 'None: the app has moved',
  revoked: 'None: all its tokens are revoked',
};

/** A test outage that runs or begins before the given date. */
function outageBefore(asOf: AppLifecycle, date: number | undefined): NextChange | undefined {
  const next = brownoutLines(asOf)[0];
  if (!next || (date !== undefined && next.startsAt >= date)) return undefined;
  const what = next.isOwn ? 'Rehearsal' : 'Test outage';
  if (next.isNow) return { words: `${what}, until`, at: next.endsAt, isNow: true };
  const left = daysLeft(next.startsAt, asOf.now);
  return { words: what, at: next.startsAt, left, kind: '' };
}

/** Dates that change no call of the app are left out, and so is every date once its tokens have moved or ended. */
export function nextChange(asOf: AppLifecycle, state: AppState): NextChange {
  const over = OVER[state];
  if (over !== undefined) return { words: over };
  const lines = dateLines(asOf);
  const dates = lines.filter((line) => line.changesCalls);
  const ahead = dates.find(({ isPast }) => !isPast);
  const outage = outageBefore(asOf, ahead?.at);
  if (outage) return outage;
  if (ahead) return { words: NAMES[ahead.milestone], at: ahead.at, left: ahead.left, kind: ahead.kind };
  const last = dates.at(-1);
  if (last?.milestone === 'sunset') return { words: 'The old API ended', at: last.at };
  if (last) return { words: 'None is set after the retirement' };
  return { words: lines.length > 0 ? 'None that changes its calls' : 'None is set' };
}
