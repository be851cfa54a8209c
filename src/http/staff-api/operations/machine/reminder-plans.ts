import { z } from 'zod';
import { contextAt, type Preview, previewsAfter } from '../../../../domain/reminders/plan-reminders.ts';
import { wrongCursor } from '../../answers/history-cursor.ts';
import {
  cursorQuery,
  momentIn,
  nextCursor,
  text,
  textOrNull,
  time,
  toTime,
  toTimeOrNull,
  yesNo,
  timeOrNull,
} from '../../answers/parts.ts';
import { operation } from '../../operation.ts';

/** Who would get which reminder, as `reminders plan` tells it. */

const PLACE = /^(?:account|email):./;

/** A place in the order of people. An address may be in it, and addresses of requests stand in logs: so it is packed. */
const cursorOf = (place: string | undefined) =>
  place === undefined ? null : Buffer.from(place, 'utf8').toString('base64url');

/** @throws {ApiProblem} */
function placeOf(cursor: string | undefined): string | undefined {
  if (cursor === undefined) return undefined;
  const place = Buffer.from(cursor, 'base64url').toString('utf8');
  if (PLACE.test(place)) return place;
  throw wrongCursor();
}

const personSchema = z.object({
  person: text,
  email: textOrNull,
  zone: text,
  day: text.meta({ description: 'The day of the mail where the person is.' }),
  is_now: yesNo,
  due: z.array(
    z.object({
      client_id: text,
      app_name: text,
      role: text,
      stage: text,
      planned_for: text,
      date: timeOrNull,
      because: text,
    }),
  ),
});

const personOf = ({ person, due, day, isNow }: Preview): z.output<typeof personSchema> => ({
  person: person.id,
  email: person.address ?? null,
  zone: person.zone,
  day,
  is_now: isNow,
  due: due.map(({ clientId, part, role, stage, plannedFor, at, because }) => ({
    client_id: clientId,
    app_name: part.appName,
    role,
    stage,
    planned_for: plannedFor,
    date: toTimeOrNull(at),
    because,
  })),
});

export const REMINDER_PLANS = [
  operation({
    id: 'planReminders',
    method: 'get',
    path: '/reminders/plan',
    needs: 'reader',
    tag: 'reminders',
    summary: 'Who would get which reminder, when and why; sends and changes nothing',
    query: cursorQuery.extend({
      on: momentIn.optional().meta({ description: 'As if it were this moment; without it, now.' }),
    }),
    answer: z.object({
      at: time,
      is_sending: yesNo.meta({ description: 'Whether the settings send any mail.' }),
      people: z.array(personSchema),
      next_cursor: nextCursor,
    }),
    async run(context, { query: { cursor, on } }) {
      const asked = on === undefined ? context : contextAt(context, on);
      const { previews, next } = await previewsAfter(asked, placeOf(cursor));
      return {
        at: toTime(asked.clock.now()),
        is_sending: context.settings.sendsReminders,
        people: previews.map(personOf),
        next_cursor: cursorOf(next),
      };
    },
  }),
];
