import {
  type AppDate,
  brownoutsAhead,
  datesOf,
  type Lifecycle,
  type Milestone,
} from '../../domain/lifecycle.ts';
import { daysLeft, isSoon, REHEARSED } from './words.ts';
import type { Sentence } from '../people/words.ts';

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
  /** `in 72 days`, by the days of UTC; '' once it is past. */
  left: string;
  /** The class of the badge with it. */
  kind: 'warning' | '';
  meaning: string;
  /** The date of all others, where this app was given more time. */
  forOthers: number | undefined;
}

const MEANINGS: Record<Milestone, Record<'ahead' | 'past', string>> = {
  retirement: {
    ahead:
      'From then on, tokens that are not connected are refused. Connected ones go on reading profiles and the user; every other old call ends.',
    past: 'Tokens that are not connected are refused. Connect the app and they work again, for profiles and the user. Every other old call has ended.',
  },
  sunset: {
    ahead: 'The old API ends. From then on every call to it is refused, connected or not.',
    past: 'The old API has ended. Every call to it is refused; apps have to use the new API.',
  },
};

function lineOf({ milestone, at, forOthers }: AppDate, now: number): DateLine {
  const isPast = at <= now;
  return {
    milestone,
    at,
    isPast,
    left: daysLeft(at, now),
    kind: isSoon(at, now) ? 'warning' : '',
    meaning: MEANINGS[milestone][isPast ? 'past' : 'ahead'],
    forOthers,
  };
}

/** The dates that are set and bring something, the earlier first. */
export function dateLines({ lifecycle, ...asked }: AsOf): DateLine[] {
  return datesOf(lifecycle, asked).map((date) => lineOf(date, asked.now));
}

/** The line that counts now: the next date, else the last one that has passed; undefined where none is set. */
export function nextLine(asOf: AsOf): DateLine | undefined {
  const lines = dateLines(asOf);
  return lines.find(({ isPast }) => !isPast) ?? lines.at(-1);
}

/** When the old API ended for this app; undefined while it has not. */
export function endOf(asOf: AsOf): number | undefined {
  return dateLines(asOf).find(({ milestone, isPast }) => isPast && milestone === 'sunset')?.at;
}

/** What has passed for an app: nothing yet, its retirement, or its sunset. */
export type Phase = 'before' | 'retired' | 'ended';

/** What has passed for the app. */
export function phaseOf(asOf: AsOf): Phase {
  if (endOf(asOf) !== undefined) return 'ended';
  return dateLines(asOf).some(({ isPast }) => isPast) ? 'retired' : 'before';
}

/** Until when connecting is of use, in a sentence or two; undefined where no date is set, or once the old API has ended. */
export function connectByWords(asOf: AsOf): Sentence | undefined {
  const lines = dateLines(asOf);
  const [retirement, sunset] = (['retirement', 'sunset'] as const).map((milestone) =>
    lines.find((line) => line.milestone === milestone),
  );
  if (sunset?.isPast) return undefined;
  if (retirement && !retirement.isPast)
    return [
      'Connect it by ',
      retirement.at,
      ` (${retirement.left}). What is not connected by then stops working.`,
    ];
  const end = sunset && ['until the old API ends on ', sunset.at, ` (${sunset.left}).`];
  if (retirement)
    return [
      'Since ',
      retirement.at,
      ', what is not connected is refused. Connect it, and it works again',
      ...(end ? [', ', ...end] : ['.']),
    ];
  return end && ['Once connected, it works ', ...end];
}

export interface BrownoutLine {
  isNow: boolean;
  startsAt: number;
  endsAt: number;
  meaning: string;
  /** Whether the owner of the app started it. */
  isOwn: boolean;
}

/** The brownouts that the app meets now or will meet, by their start. */
export function brownoutLines({ lifecycle, ...asked }: AsOf): BrownoutLine[] {
  return brownoutsAhead(lifecycle, asked).map(({ startsAt, endsAt, rehearses, clientId: own }) => ({
    isNow: startsAt <= asked.now,
    startsAt,
    endsAt,
    meaning: REHEARSED[rehearses],
    isOwn: own !== undefined,
  }));
}
