import {
  type AppDate,
  brownoutsAhead,
  changesCalls,
  datesOf,
  type Milestone,
} from '../../../domain/lifecycle/lifecycle.ts';
import type { AppLifecycle } from '../../../domain/lifecycle/old-api-status.ts';
import { NOT_KEPT } from '../../../domain/posts/not-kept.ts';
import { type DaysLeft, daysToDate, isSoon } from '../days-left.ts';
import { rehearsedWords } from './words.ts';
import type { Sentence } from '../words.ts';

/** What people are told about the dates of one app: pure functions of one reading of the dates and one moment. */

export interface DateLine {
  milestone: Milestone;
  at: number;
  isPast: boolean;
  /** Undefined once the date has passed, and for a day on which nothing changes. */
  left: DaysLeft | undefined;
  /** The class of the badge. */
  kind: 'warning' | '';
  meaning: string;
  /** Whether the date changes how any call is answered. A retirement without an old API changes none. */
  changesCalls: boolean;
  /** The date for all other apps, where an extension of this app changes something. */
  forOthers: number | undefined;
}

/** Without an old API the same words hold before and after the retirement. */
const CHANGES_NOTHING = `A token that is not connected is refused here already, so the retirement changes nothing. Connect it, and the new API answers its calls, except for ${NOT_KEPT}.`;

const MEANINGS: Record<Milestone, Record<'ahead' | 'past', string>> = {
  retirement: {
    ahead: `From then on, tokens that are not connected are refused, and the new API answers the connected ones. At the latest then, ${NOT_KEPT} ends too.`,
    past: `Tokens that are not connected are refused. Connect the app, and the new API answers their calls, except for ${NOT_KEPT}, which has ended.`,
  },
  sunset: {
    ahead: 'The old API ends. From then on every call to it is refused, connected or not.',
    past: 'The old API has ended. Every call to it is refused; apps have to use the new API.',
  },
};

function lineOf(
  { milestone, at, forOthers }: AppDate,
  { now, hasBackend }: Pick<AppLifecycle, 'now' | 'hasBackend'>,
): DateLine {
  const isPast = at <= now;
  const isChange = changesCalls(milestone, hasBackend);
  return {
    milestone,
    at,
    isPast,
    // No countdown to a day on which nothing changes.
    left: isChange ? daysToDate(at, now) : undefined,
    kind: isChange && isSoon(at, now) ? 'warning' : '',
    meaning: isChange ? MEANINGS[milestone][isPast ? 'past' : 'ahead'] : CHANGES_NOTHING,
    changesCalls: isChange,
    forOthers: isChange ? forOthers : undefined,
  };
}

/** The dates that are set for the app, the earlier date first. */
export function dateLines({ lifecycle, hasBackend, ...asked }: AppLifecycle): DateLine[] {
  return datesOf(lifecycle, asked).map((date) => lineOf(date, { ...asked, hasBackend }));
}

/**
 * The line that counts now: the next date, with dates that change calls first; else the last date that has passed.
 * Undefined where no date is set.
 */
export function nextLine(asOf: AppLifecycle): DateLine | undefined {
  const lines = dateLines(asOf);
  const ahead = lines.filter(({ isPast }) => !isPast);
  return ahead.find((line) => line.changesCalls) ?? ahead[0] ?? lines.at(-1);
}

/** The retirement; undefined where it changes no call. */
export function retirementLine(asOf: AppLifecycle): DateLine | undefined {
  return dateLines(asOf).find((line) => line.milestone === 'retirement' && line.changesCalls);
}

/** When the old API ended for this app; undefined before its sunset. */
export function endOf(asOf: AppLifecycle): number | undefined {
  return dateLines(asOf).find(({ milestone, isPast }) => isPast && milestone === 'sunset')?.at;
}

const REFUSED_NOW = 'Until the app is connected, its calls are refused.';

/** Until when connecting helps, where an old API is configured. */
function byRetirement(retirement: DateLine | undefined, end: Sentence | undefined): Sentence | undefined {
  if (!retirement) return end && ['Once connected, it works ', ...end];
  const { at, left } = retirement;
  if (left)
    return ['Connect it by ', at, ' (', left, '): from then on the old API answers none of its calls.'];
  return [
    'The old API has answered none of its calls since ',
    at,
    '. Connect it, and it works again',
    ...(end ? [', ', ...end] : ['.']),
  ];
}

/**
 * Until when connecting helps, in a sentence or two. Undefined where no date is set and an old API answers, or once the
 * old API has ended.
 */
export function connectByWords(asOf: AppLifecycle): Sentence | undefined {
  const lines = dateLines(asOf);
  const [retirement, sunset] = (['retirement', 'sunset'] as const).map((milestone) =>
    lines.find((line) => line.milestone === milestone),
  );
  if (sunset?.isPast) return undefined;
  const end = sunset?.left && ['until the old API ends on ', sunset.at, ' (', sunset.left, ').'];
  if (asOf.hasBackend) return byRetirement(retirement, end);
  return end ? [`${REFUSED_NOW} Once connected, it works `, ...end] : [REFUSED_NOW];
}

export interface BrownoutLine {
  isNow: boolean;
  startsAt: number;
  endsAt: number;
  meaning: string;
  /** Whether the owner of the app started the brownout. */
  isOwn: boolean;
}

/**
 * The brownouts that concern the app now or later, by their start. Without an old API no brownout of the retirement
 * concerns an app.
 */
export function brownoutLines({ lifecycle, hasBackend, ...asked }: AppLifecycle): BrownoutLine[] {
  return brownoutsAhead(lifecycle, asked)
    .filter(({ rehearses }) => changesCalls(rehearses, hasBackend))
    .map(({ startsAt, endsAt, rehearses, clientId: own }) => ({
      isNow: startsAt <= asked.now,
      startsAt,
      endsAt,
      meaning: rehearsedWords(rehearses, hasBackend),
      isOwn: own !== undefined,
    }));
}
