import { createHash } from 'node:crypto';
import ical, { ICalAlarmType, ICalCalendarMethod, ICalEventTransparency } from 'ical-generator';
import { DAY, MINUTE, SECOND } from '../../../shared/lifetimes.ts';
import { changesCalls, type Milestone } from '../../lifecycle/lifecycle.ts';
import type { LetterApp } from './about-app.ts';
import { isRefused, takenOf, type LetterStage } from './stages.ts';

/** The dates of a mail for the reader's calendar (RFC 5545, published as in RFC 5546 §3.2.1). */

/** An app of the mail, with its due reminders. */
interface CalendarApp {
  app: LetterApp;
  due: readonly LetterStage[];
}

/** The id of an event. Every mail about a date has the same id, so a moved date replaces the earlier event. */
function uidOf(personId: string, { clientId, links }: LetterApp, milestone: Milestone): string {
  const about = createHash('sha256').update(`${personId}\n${clientId}\n${milestone}`).digest('hex');
  return `${about.slice(0, 32)}@${new URL(links.page('/')).hostname}`;
}

const SUMMARIES: Record<Milestone, (name: string) => string> = {
  retirement: (name) => `“${name}” stops working unless it is connected`,
  sunset: (name) => `“${name}” stops working with the old API`,
};

/** When the retirement ends no token, it ends only calls that a connection does not carry over. */
function summaryOf(milestone: Milestone, { app, due }: CalendarApp): string {
  if (milestone === 'sunset') return SUMMARIES.sunset(app.name);
  if (due.every((one) => takenOf(one) === 0)) return `Some calls of “${app.name}” stop working`;
  // Connected tokens go on: those of the same holder, and those of an owner's other users.
  const isOfPart = due.some(({ hasConnected }) => hasConnected) || due.every(({ role }) => role === 'owner');
  return isOfPart
    ? `“${app.name}”: tokens that are not connected stop working`
    : SUMMARIES.retirement(app.name);
}

/** The events of an app for the dates ahead; none for an app that seems not to be needed. */
function eventsOf({ app, due: all }: CalendarApp, personId: string) {
  const due = all.filter(({ stage }) => stage !== 'unused');
  if (due.length === 0) return [];
  // The retirement ends nothing for tokens that are refused already.
  const isRetired = due.some(
    (one) => (one.milestone === 'retirement' || one.stage === 'woken') && !isRefused(one, app.reader),
  );
  const dates = app.dates.filter(
    ({ milestone, at }) =>
      at > app.reader.now &&
      changesCalls(milestone, app.hasOldBackend) &&
      (milestone === 'sunset' || isRetired),
  );
  const url = app.links.page(`/apps/${app.clientId}`);
  return dates.map(({ milestone, at }) => ({
    id: uidOf(personId, app, milestone),
    start: new Date(at),
    stamp: new Date(app.reader.now),
    // The later of two mails has the valid date, whether the date moved forward or back (RFC 5545 §3.8.7.4).
    sequence: Math.floor(app.reader.now / MINUTE),
    summary: summaryOf(milestone, { app, due }),
    description: `What to do: ${url}`,
    url,
    // The event does not mark the reader as busy.
    transparency: ICalEventTransparency.TRANSPARENT,
    alarms: [{ type: ICalAlarmType.display, trigger: DAY / SECOND }],
  }));
}

/**
 * The calendar file for all apps of a mail; undefined when no date is ahead. The file holds no link that proves an
 * address.
 */
export function calendarOf(personId: string, apps: readonly CalendarApp[]): string | undefined {
  const events = apps.flatMap((one) => eventsOf(one, personId));
  if (events.length === 0) return undefined;
  const prodId = { company: 'grantbridge', product: 'reminders', language: 'EN' };
  return ical({ prodId, method: ICalCalendarMethod.PUBLISH, events }).toString();
}
