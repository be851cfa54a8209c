import { z } from 'zod';
import { listedDay, type ListedDay } from '../../../domain/support/ended/days.ts';
import { CAUSES, endedOnDay } from '../../../domain/support/ended/ended-on-day.ts';
import { NOT_LISTED } from '../../support/ended/ended-words.ts';
import type { HttpStaffApiDeps } from '../deps.ts';
import { count, nextCursor, text, textOrNull, timeOrNull, toTimeOrNull, yesNo } from '../answers/parts.ts';
import { operation } from '../operation.ts';
import { cursorOf, positionOf } from '../answers/list-cursor.ts';
import { ApiProblem } from '../problems/problems.ts';

/** The connections that ended on one of the last thirty days. */

const query = z.strictObject({
  day: z.string().max(20).optional().meta({ description: 'Such as 2026-11-21; today without it.' }),
  zone: z
    .string()
    .max(60)
    .optional()
    .meta({ description: 'The time zone of the day, such as Europe/Berlin; UTC without it.' }),
  cause: z
    .enum(CAUSES)
    .optional()
    .meta({ description: 'Without it: the ends after which somebody has to connect again.' }),
  cursor: z.string().max(300).optional(),
});

const answer = z.object({
  day: text,
  zone: text,
  causes: z.array(z.object({ cause: text, count, has_more: yesNo })),
  rows: z.array(
    z.object({
      grant_id: text,
      died_at: timeOrNull,
      cause: textOrNull,
      has_stopped: yesNo,
      client_id: text,
      app_name: text,
      account_id: textOrNull,
      account_name: textOrNull,
      email: textOrNull,
      token_id: textOrNull,
    }),
  ),
  next_cursor: nextCursor,
});

/** @throws {ApiProblem} */
function dayOfQuery({ clock }: HttpStaffApiDeps, { day, zone = 'UTC' }: z.output<typeof query>): ListedDay {
  const found = listedDay({ day, zone }, clock.now());
  if (typeof found === 'object') return found;
  const pointer = found === 'no-such-zone' ? '/zone' : '/day';
  const errors = [{ in: 'query' as const, pointer, detail: NOT_LISTED[found].reason }];
  throw new ApiProblem('invalid-request', 'Nothing was read.', { errors });
}

export const ENDED_OPERATIONS = [
  operation({
    id: 'listEndedConnections',
    method: 'get',
    path: '/desks/died-today',
    needs: 'reader',
    tag: 'desks',
    summary: 'Connections that ended today or on another recent day, with the counts of each cause',
    query,
    answer,
    async run(context, call) {
      const span = dayOfQuery(context, call.query);
      const list = await endedOnDay(
        context,
        { span, cause: call.query.cause },
        positionOf(call.query.cursor),
      );
      return {
        day: span.day,
        zone: span.zone,
        causes: [...list.causes].map(([cause, { count: n, isMore }]) => ({
          cause,
          count: n,
          has_more: isMore,
        })),
        rows: list.rows.map((row) => ({
          grant_id: row.id,
          died_at: toTimeOrNull(row.dead_at),
          cause: row.dead_cause,
          has_stopped: row.hasStopped,
          client_id: row.client_id,
          app_name: row.app_name,
          account_id: row.account_id,
          account_name: row.name,
          email: row.email,
          token_id: row.mapping_id,
        })),
        next_cursor: cursorOf(list.next),
      };
    },
  }),
];
