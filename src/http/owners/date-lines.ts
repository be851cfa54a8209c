import { type Brownout, dateFor, type Lifecycle, type Milestone } from '../../domain/lifecycle.ts';
import { DAY } from '../../shared/lifetimes.ts';
import { timeWords, windowWords } from './owned-app.ts';
import type { Phase } from './state-words.ts';

/** What people are told of the dates of one app: pure functions of one reading of the dates and one moment. */

/** For which app and when; without a client id for an app that was given no more time than others. */
export interface AsOf {
  lifecycle: Lifecycle;
  clientId: string | undefined;
  now: number;
}

export interface DateLine {
  milestone: Milestone;
  at: number;
  isPast: boolean;
  /** `1 February 2027 at 00:00 UTC`. */
  when: string;
  /** `in 72 days`, by the days of UTC; '' once it is past. */
  left: string;
  /** The class of the badge with it. */
  kind: 'warning' | '';
  meaning: string;
  /** The date of all others, where this app was given more time. */
  forOthers: string | undefined;
}

/** From so many days on, the days that are left stand out. */
const SOON = 30;

const MEANINGS: Record<Milestone, Record<'ahead' | 'past', string>> = {
  retirement: {
    ahead: 'From then on, tokens that are not connected are refused. Connected ones go on.',
    past: 'Tokens that are not connected are refused. Connect the app and they work again.',
  },
  sunset: {
    ahead: 'The old API ends. From then on every call to it is refused, connected or not.',
    past: 'The old API has ended. Every call to it is refused; apps have to use the new API.',
  },
};

/** How far off a time is, by the days of UTC: `today`, `tomorrow`, `in 72 days`. */
function daysWords(days: number): string {
  if (days <= 1) return days === 1 ? 'tomorrow' : 'today';
  return `in ${days} days`;
}

function lineOf({ lifecycle, clientId, now }: AsOf, milestone: Milestone): DateLine[] {
  const at = dateFor(lifecycle, milestone, clientId);
  const common = lifecycle.dates[milestone];
  if (at === undefined || common === undefined) return [];
  const isPast = at <= now;
  const days = Math.floor(at / DAY) - Math.floor(now / DAY);
  const line: DateLine = {
    milestone,
    at,
    isPast,
    when: timeWords(at),
    left: isPast ? '' : daysWords(days),
    kind: !isPast && days <= SOON ? 'warning' : '',
    meaning: MEANINGS[milestone][isPast ? 'past' : 'ahead'],
    forOthers: at > common ? timeWords(common) : undefined,
  };
  return [line];
}

/** The dates that are set, the earlier first; a retirement is not spoken of where the sunset comes before it or has come. */
export function dateLines(asOf: AsOf): DateLine[] {
  const [retirement, sunset] = [lineOf(asOf, 'retirement'), lineOf(asOf, 'sunset')];
  const isMoot = retirement.some(({ at }) => sunset.some((end) => end.isPast || end.at <= at));
  return isMoot ? sunset : [...retirement, ...sunset];
}

/** The line that counts now: the next date, else the last one that has passed; undefined where none is set. */
export function nextLine(asOf: AsOf): DateLine | undefined {
  const lines = dateLines(asOf);
  return lines.find(({ isPast }) => !isPast) ?? lines.at(-1);
}

/** When the old API ended for this app, in words; undefined while it has not. */
export function endedWords(asOf: AsOf): string | undefined {
  return dateLines(asOf).find(({ milestone, isPast }) => isPast && milestone === 'sunset')?.when;
}

/** What has passed for the app. */
export function phaseOf(asOf: AsOf): Phase {
  if (endedWords(asOf) !== undefined) return 'ended';
  return dateLines(asOf).some(({ isPast }) => isPast) ? 'retired' : 'before';
}

/** Until when connecting is of use, in a sentence or two; undefined where no date is set, or once the old API has ended. */
export function connectByWords(asOf: AsOf): string | undefined {
  const lines = dateLines(asOf);
  const [retirement, sunset] = (['retirement', 'sunset'] as const).map((milestone) =>
    lines.find((line) => line.milestone === milestone),
  );
  if (sunset?.isPast) return undefined;
  if (retirement && !retirement.isPast)
    return `Connect it by ${retirement.when} (${retirement.left}). What is not connected by then stops working.`;
  const end = sunset && `until the old API ends on ${sunset.when} (${sunset.left}).`;
  if (retirement)
    return `Since ${retirement.when}, what is not connected is refused. Connect it, and it works again${end ? `, ${end}` : '.'}`;
  return end && `Once connected, it works ${end}`;
}

/** What a brownout does to the calls of an app while it lasts. */
const REHEARSED: Record<Milestone, string> = {
  retirement: 'Tokens that are not connected are refused.',
  sunset: 'Every call to the old API is refused.',
};

export interface BrownoutLine {
  isNow: boolean;
  when: string;
  meaning: string;
  /** Whether the owner of the app started it. */
  isOwn: boolean;
}

/** Whether the app is left out of a brownout of all from its first to its last moment. */
function isSpared({ lifecycle, clientId }: AsOf, { endsAt }: Brownout): boolean {
  return clientId !== undefined && (lifecycle.exemptions.get(clientId) ?? 0) >= endsAt;
}

function isMet(asOf: AsOf, brownout: Brownout): boolean {
  const { clientId, now, lifecycle } = asOf;
  if (brownout.endsAt <= now) return false;
  // What has come for good before it is not rehearsed any more.
  const at = dateFor(lifecycle, brownout.rehearses, clientId) ?? Infinity;
  if (at <= Math.max(now, brownout.startsAt)) return false;
  return brownout.clientId === undefined ? !isSpared(asOf, brownout) : brownout.clientId === clientId;
}

/** The brownouts that the app meets now or will meet, by their start. */
export function brownoutLines(asOf: AsOf): BrownoutLine[] {
  return asOf.lifecycle.brownouts
    .filter((one) => isMet(asOf, one))
    .map(({ startsAt, endsAt, rehearses, clientId: own }) => ({
      isNow: startsAt <= asOf.now,
      when: windowWords(startsAt, endsAt),
      meaning: REHEARSED[rehearses],
      isOwn: own !== undefined,
    }));
}
