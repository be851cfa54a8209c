import { createHash } from 'node:crypto';
import ical, { ICalAlarmType, ICalCalendarMethod, ICalEventTransparency } from 'ical-generator';
import { DAY, MINUTE, SECOND } from '../../../shared/lifetimes.ts';
import { changesCalls, type Milestone } from '../../lifecycle/lifecycle.ts';
import type { AppFacts } from './about-app.ts';
import { isRefused, takenOf, type Told } from './stages.ts';

/** The dates of a mail for the reader's calendar (RFC 5545, published as RFC 5546 §3.2.1 has it). */

/** An app of the mail, with what is due for it. */
interface Dated {
  app: AppFacts;
  due: readonly Told[];
}

/** The same for every mail about it, so that a date that was moved takes the place of the one before. */
function uidOf(personId: string, { clientId, links }: AppFacts, milestone: Milestone): string {
  const about = createHash('sha256').update(`${personId}\n${clientId}\n${milestone}`).digest('hex');
  return `${about.slice(0, 32)}@${new URL(links.page('/')).hostname}`;
}

const SUMMARIES: Record<Milestone, (name: string) => string> = {
  retirement: (name) => `“${name}” stops working unless it is connected`,
  sunset: (name) => `“${name}” stops working with the old API`,
};

/** Where all is connected, the retirement ends what a connection does not carry over. */
function summaryOf(milestone: Milestone, { app, due }: Dated): string {
  const isOfCalls = milestone === 'retirement' && due.every((one) => takenOf(one) === 0);
  return isOfCalls ? `Some calls of “${app.name}” stop working` : SUMMARIES[milestone](app.name);
}

/** The dates ahead that the mail speaks of for an app; none of one that seems not to be needed. */
function eventsOf({ app, due: all }: Dated, personId: string) {
  const due = all.filter(({ stage }) => stage !== 'unused');
  if (due.length === 0) return [];
  // The retirement takes nothing from what is refused already.
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
    // Of two mails the later one has the date that counts, whichever way it was moved (RFC 5545 §3.8.7.4).
    sequence: Math.floor(app.reader.now / MINUTE),
    summary: summaryOf(milestone, { app, due }),
    description: `What to do: ${url}`,
    url,
    // Nobody is busy then.
    transparency: ICalEventTransparency.TRANSPARENT,
    alarms: [{ type: ICalAlarmType.display, trigger: DAY / SECOND }],
  }));
}

/** The file for all apps of a mail; undefined where no date is ahead. It holds no link that proves anything. */
export function calendarOf(personId: string, apps: readonly Dated[]): string | undefined {
  const events = apps.flatMap((one) => eventsOf(one, personId));
  if (events.length === 0) return undefined;
  const prodId = { company: 'grantbridge', product: 'reminders', language: 'EN' };
  return ical({ prodId, method: ICalCalendarMethod.PUBLISH, events }).toString();
}
