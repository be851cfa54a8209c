import { z } from 'zod';
import { endExemption, exemptApp } from '../../../domain/lifecycle/changes/exempt-app.ts';
import { endExtension, extendApp } from '../../../domain/lifecycle/changes/extend-app.ts';
import { planBrownout, removeBrownout } from '../../../domain/lifecycle/changes/plan-brownout.ts';
import {
  idIn,
  momentIn,
  reasonIn,
  text,
  time,
  timeOrNull,
  toTime,
  toTimeOrNull,
  yesNo,
} from '../answers/parts.ts';
import { operation } from '../operation.ts';
import { appPath } from './apps.ts';

/** More time for single apps, and the brownouts. */

const milestone = z.enum(['retirement', 'sunset']);

const WRITE = {
  method: 'post',
  needs: 'lead',
  tag: 'dates',
  isWrite: true,
  problems: ['not-possible'],
} as const;

export const TIME_WRITES = [
  operation({
    ...WRITE,
    id: 'extendApp',
    path: '/apps/{client_id}/extend',
    summary: 'Gives one app a later retirement or a later sunset; for seven days that can be taken back',
    parameters: appPath,
    body: z.strictObject({ date: milestone, until: momentIn, reason: reasonIn }),
    answer: z.object({
      client_id: text,
      date: text,
      until: time,
      before: timeOrNull,
      warnings: z.array(text),
    }),
    async run(context, { path: { client_id: clientId }, body: { date: name, until, reason }, origin }) {
      const { before, warnings } = await extendApp(context, { clientId, name, until, reason, ...origin });
      return {
        client_id: clientId,
        date: name,
        until: toTime(until),
        before: toTimeOrNull(before),
        warnings,
      };
    },
  }),
  operation({
    ...WRITE,
    id: 'unextendApp',
    path: '/apps/{client_id}/unextend',
    summary:
      'Ends the extension of an app: the date of all applies again; for seven days that can be taken back',
    parameters: appPath,
    body: z.strictObject({
      date: milestone,
      reason: reasonIn,
      is_forced: yesNo.optional().meta({
        description: 'Whether to end it where the date of all is past, so that calls of the app end at once.',
      }),
    }),
    answer: z.object({ client_id: text, date: text, before: time }),
    async run(context, { path: { client_id: clientId }, body, origin }) {
      const { date: name, reason, is_forced: isForced = false } = body;
      const { before } = await endExtension(context, { clientId, name, reason, isForced, ...origin });
      return { client_id: clientId, date: name, before: toTime(before) };
    },
  }),
  operation({
    ...WRITE,
    id: 'exemptApp',
    path: '/apps/{client_id}/exempt',
    summary: 'Leaves one app out of the brownouts for a time',
    parameters: appPath,
    body: z.strictObject({ until: momentIn, reason: reasonIn }),
    answer: z.object({ client_id: text, until: time, before: timeOrNull }),
    async run(context, { path: { client_id: clientId }, body: { until, reason }, origin }) {
      const { before } = await exemptApp(context, { clientId, until, reason, ...origin });
      return { client_id: clientId, until: toTime(until), before: toTimeOrNull(before) };
    },
  }),
  operation({
    ...WRITE,
    id: 'unexemptApp',
    path: '/apps/{client_id}/unexempt',
    summary: 'Ends the exemption of an app from brownouts',
    parameters: appPath,
    body: z.strictObject({ reason: reasonIn }),
    answer: z.object({ client_id: text, before: time }),
    async run(context, { path: { client_id: clientId }, body: { reason }, origin }) {
      const { before } = await endExemption(context, { clientId, reason, ...origin });
      return { client_id: clientId, before: toTime(before) };
    },
  }),
  operation({
    ...WRITE,
    id: 'addBrownout',
    path: '/brownouts',
    summary: 'Plans a brownout for all apps',
    body: z.strictObject({
      rehearses: milestone,
      starts_at: momentIn,
      ends_at: momentIn,
      text: z
        .string()
        .max(2000)
        .meta({ description: 'The explanation for callers and readers, 1 to 300 characters.' }),
    }),
    answer: z.object({ brownout_id: text, rehearses: milestone, starts_at: time, ends_at: time, text }),
    async run(context, { body: { rehearses, starts_at: startsAt, ends_at: endsAt, text: words }, origin }) {
      const planned = await planBrownout(context, { rehearses, startsAt, endsAt, text: words, ...origin });
      const window = { starts_at: toTime(planned.startsAt), ends_at: toTime(planned.endsAt) };
      return { brownout_id: planned.id, rehearses, ...window, text: planned.text };
    },
  }),
  operation({
    ...WRITE,
    id: 'removeBrownout',
    path: '/brownouts/{brownout_id}/remove',
    summary: 'Cancels a planned brownout, or ends a running one',
    parameters: z.strictObject({ brownout_id: idIn }),
    body: z.strictObject({}),
    answer: z.object({ brownout_id: text, had_begun: yesNo }),
    async run(context, { path: { brownout_id: id }, origin }) {
      const { hadBegun } = await removeBrownout(context, { id, ...origin });
      return { brownout_id: id, had_begun: hadBegun };
    },
  }),
];
