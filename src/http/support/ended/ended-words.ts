import { DAYS_LISTED, type ListedDay, type DayProblem } from '../../../domain/support/ended/days.ts';
import { fullDayWords } from '../../charts/chart-words.ts';
import { type DeskWords, DESK_WORDS } from '../desks/desk-words.ts';

/** What staff read about the connections that ended on one day: pure functions. */

/** The words of the desk in the list of desks, where it shows today. Midnight is the midnight of the time zone. */
export function brokenTodayWords(zone: string): DeskWords {
  const { title, about, empty } = DESK_WORDS['died-today'];
  const inZone = (words: string) => words.replace('midnight', `midnight (${zone})`);
  return { title, about: inZone(about), empty: inZone(empty) };
}

/** The words of the desk for one day. */
export function endedWords({ day, zone }: ListedDay, { isToday }: { isToday: boolean }): DeskWords {
  const date = fullDayWords(day);
  const when = isToday ? 'today' : `on ${date}`;
  return {
    title: `Connections that ended ${when}`,
    about: `Connections that ended on ${date} and that nobody has connected again. The day is that of the time zone ${zone}. Each line has the next step.`,
    empty: `Good news: no token that stopped on ${date} (${zone}) waits for anybody.`,
  };
}

/** Why a day cannot be shown, by the kind of request. */
export const NOT_LISTED: Readonly<Record<DayProblem, { status: number; title: string; reason: string }>> = {
  'no-such-day': {
    status: 400,
    title: 'This is not a day',
    reason: 'The address names a day that no calendar has, or not in the form 2026-11-21.',
  },
  'no-such-zone': {
    status: 400,
    title: 'This is not a time zone',
    reason: 'The address names a time zone that is not known. One is named like Europe/Berlin, or UTC.',
  },
  'too-old': {
    status: 404,
    title: 'This day is not listed any more',
    reason: `Connections that ended are listed for the last ${DAYS_LISTED} days, today included.`,
  },
  ahead: {
    status: 404,
    title: 'This day has not come yet',
    reason: 'The address names a day that is ahead.',
  },
};
