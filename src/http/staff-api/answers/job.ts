import { z } from 'zod';
import type { BulkItemRow, BulkJobFacts } from '../../../domain/bulk/bulk-jobs.ts';
import { count, named, text, textOrNull, time, timeOrNull, toTime, toTimeOrNull } from './parts.ts';

/** A job and its items. */

const ITEM_STATES = [
  'waiting',
  'running',
  'done',
  'refused',
  'unknown',
  'undoing',
  'undone',
  'kept',
] as const;

export const jobSchema = named(
  'Job',
  z.object({
    job_id: text,
    action: z.enum(['extend_apps', 'assign_tokens', 'make_links']),
    state: z.enum(['running', 'done', 'stopped', 'taking_back', 'taken_back']),
    reason: text,
    asked_by: text,
    made_at: time,
    ended_at: timeOrNull,
    stopped_why: textOrNull.meta({ description: 'Why the bridge itself stopped it.' }),
    items: z.object(Object.fromEntries(ITEM_STATES.map((state) => [state, count]))),
  }),
);

/** A job as answers tell it. */
export function jobOf({ job, counts }: BulkJobFacts): z.output<typeof jobSchema> {
  return {
    job_id: job.id,
    action: job.action,
    state: job.state,
    reason: job.reason,
    asked_by: job.asked_by,
    made_at: toTime(job.made_at),
    ended_at: toTimeOrNull(job.ended_at),
    stopped_why: job.stopped_why,
    items: Object.fromEntries(ITEM_STATES.map((state) => [state, counts[state] ?? 0])),
  };
}

export const itemSchema = named(
  'JobItem',
  z.object({
    subject: text.meta({ description: 'The client id, token id or account id.' }),
    state: z.enum(ITEM_STATES),
    why: textOrNull.meta({ description: 'Why it was refused, or failed.' }),
    link: textOrNull,
  }),
);

/** An item as answers tell it. */
export function itemOf({ subject, state, answer }: BulkItemRow): z.output<typeof itemSchema> {
  const { why = null, link = null } = JSON.parse(answer ?? '{}') as { why?: string; link?: string };
  return { subject, state, why, link };
}
