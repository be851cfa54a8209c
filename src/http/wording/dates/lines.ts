import {
  type AppDate,
  brownoutsAhead,
  changesCalls,
  datesOf,
  type Lifecycle,
  type Milestone,
} from '../../../domain/lifecycle/lifecycle.ts';
import { NOT_KEPT } from '../../../domain/posts/not-kept.ts';
import { daysLeft, isSoon, rehearsedWords } from './words.ts';
import type { Sentence } from '../words.ts';

/** What people are told of the dates of one app: pure functions of one reading of the dates and one moment. */

/** For which app and when; without a client id for an app that was given no more time than others. */
export interface AsOf {
  lifecycle: Lifecycle;
  clientId: string | undefined;
  now: number;
  /** Whether an old backend is behind: it answers what is not connected until the retirement. */
  hasBackend: boolean;
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
  /** Whether a call is answered otherwise from then on; a retirement without an old API changes none. */
  changesCalls: boolean;
  /** The date of all others, where this app was given more time that changes something. */
  forOthers: number | undefined;
}

/** Without an old API the words hold before the retirement and after it. */
const CHANGES_NOTHING = `The retirement of the old API changes no call here: tokens that are not connected are refused before it too. Connect them, and the new API answers their calls, except for ${NOT_KEPT}.`;

const MEANINGS: Record<Milestone, Record<'ahead' | 'past', string>> = {
  retirement: {
    ahead: `From then on, tokens that are not connected are refused. Connected ones are answered by the new API, except for ${NOT_KEPT}, which ends; for tokens that were given out here, and accounts that are cut over, it is refused before too.`,
    past: `Tokens that are not connected are refused. Connect the app, and the new API answers their calls, except for ${NOT_KEPT}, which has ended.`,
  },
  sunset: {
    ahead: 'The old API ends. From then on every call to it is refused, connected or not.',
    past: 'The old API has ended. Every call to it is refused; apps have to use the new API.',
  },
};

function lineOf(
  { milestone, at, forOthers }: AppDate,
  { now, hasBackend }: Pick<AsOf, 'now' | 'hasBackend'>,
): DateLine {
  const isPast = at <= now;
  const isChange = changesCalls(milestone, hasBackend);
  return {
    milestone,
    at,
    isPast,
    left: daysLeft(at, now),
    kind: isChange && isSoon(at, now) ? 'warning' : '',
    meaning: isChange ? MEANINGS[milestone][isPast ? 'past' : 'ahead'] : CHANGES_NOTHING,
    changesCalls: isChange,
    forOthers: isChange ? forOthers : undefined,
  };
}

/** The dates that are set for the app, the earlier first. */
export function dateLines({ lifecycle, hasBackend, ...asked }: AsOf): DateLine[] {
  return datesOf(lifecycle, asked).map((date) => lineOf(date, { ...asked, hasBackend }));
}

/**
 * The line that counts now: the next date, one that changes calls before one that does not, else the last one that has
 * passed; undefined where none is set.
 */
export function nextLine(asOf: AsOf): DateLine | undefined {
  const lines = dateLines(asOf);
  const ahead = lines.filter(({ isPast }) => !isPast);
  return ahead.find((line) => line.changesCalls) ?? ahead[0] ?? lines.at(-1);
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

/** What the words for tokens of one app depend on. */
export interface Footing {
  phase: Phase;
  /** Whether an old API answers what is not connected now; never once the retirement has passed. */
  hasOldApi: boolean;
}

/** On what the tokens of the app stand. */
export function footingOf(asOf: AsOf): Footing {
  const phase = phaseOf(asOf);
  return { phase, hasOldApi: asOf.hasBackend && phase === 'before' };
}

const REFUSED_NOW = 'What is not connected is refused now.';

/** Until when connecting is of use while an old API is there, or was until the retirement. */
function byRetirement(retirement: DateLine | undefined, end: Sentence | undefined): Sentence | undefined {
  if (!retirement) return end && ['Once connected, it works ', ...end];
  const { at, isPast, left } = retirement;
  if (!isPast)
    return [
      'Connect it by ',
      at,
      ` (${left}). From then on, what is not connected is refused, if it is not already.`,
    ];
  return [
    'Since ',
    at,
    ', what is not connected is refused. Connect it, and it works again',
    ...(end ? [', ', ...end] : ['.']),
  ];
}

/**
 * Until when connecting is of use, in a sentence or two; undefined where no date is set and an old API answers meanwhile, or
 * once the old API has ended.
 */
export function connectByWords(asOf: AsOf): Sentence | undefined {
  const lines = dateLines(asOf);
  const [retirement, sunset] = (['retirement', 'sunset'] as const).map((milestone) =>
    lines.find((line) => line.milestone === milestone),
  );
  if (sunset?.isPast) return undefined;
  const end = sunset && ['until the old API ends on ', sunset.at, ` (${sunset.left}).`];
  if (asOf.hasBackend) return byRetirement(retirement, end);
  return end ? [`${REFUSED_NOW} Once connected, it works `, ...end] : [REFUSED_NOW];
}

export interface BrownoutLine {
  isNow: boolean;
  startsAt: number;
  endsAt: number;
  meaning: string;
  /** Whether the owner of the app started it. */
  isOwn: boolean;
}

/** The brownouts that the app meets now or will meet, by their start; without an old API it meets none of the retirement. */
export function brownoutLines({ lifecycle, hasBackend, ...asked }: AsOf): BrownoutLine[] {
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
