import { z } from 'zod';
import { mayAct } from '../../../domain/accounts/staff.ts';
import { BULK_ACTIONS, type BulkInput } from '../../../domain/bulk/bulk-actions.ts';
import {
  askForBulk,
  type BulkAction,
  bulkItemsPage,
  type BulkJobFacts,
  bulkPage,
  canTakeBack,
  readBulk,
  stopBulk,
  takeBulkBack,
} from '../../../domain/bulk/bulk-jobs.ts';
import { isApiKeyForm } from '../../../domain/api-keys/make-api-key.ts';
import type { KeyCaller } from '../../../domain/api-keys/api-caller.ts';
import type { Origin } from '../../../domain/origin.ts';
import { HEX_ID, OUTSIDE_ID } from '../../../shared/ids.ts';
import { BODY_LIMIT } from '../../wire/body-limits.ts';
import type { HttpStaffApiDeps } from '../deps.ts';
import { cursorQuery, idIn, momentIn, nextCursor, reasonIn } from '../answers/parts.ts';
import { itemOf, itemSchema, jobOf, jobSchema } from '../answers/job.ts';
import { afterId } from '../answers/list-cursor.ts';
import { operation } from '../operation.ts';
import { ApiProblem, nothingThere } from '../problems/problems.ts';
import { beforeOf } from '../answers/history-cursor.ts';
import { notPossible } from './refusals.ts';

/** One action on many things at once, done in the background. */

const ITEMS_MAX = 5000;

/**
 * A job keeps its subjects and tells them again. So a text that is no id is refused before, above all a token of the old API or
 * an API key that somebody sends in the place of an id.
 */
const hexId = z.string().regex(HEX_ID, 'must be an id of 24 hex digits in lower case. POST /search finds it');
const accountId = z
  .string()
  .regex(OUTSIDE_ID, 'must be an account id. POST /search finds it')
  .refine((id) => !isApiKeyForm(id), 'must be an account id, not an API key');

const many = <Id extends z.ZodType>(id: Id) => z.array(id).min(1).max(ITEMS_MAX);

const WRITE = {
  method: 'post',
  tag: 'jobs',
  isWrite: true,
  bodyLimit: BODY_LIMIT,
  answer: jobSchema,
} as const;

interface JobRequest {
  action: BulkAction;
  input: BulkInput;
  subjects: readonly string[];
  reason: string;
}

/** A copy does no item, and its take-over would stop the job. */
function requireOriginal({ instance }: HttpStaffApiDeps): void {
  if (instance.isCopy())
    throw notPossible(
      'This is a restored copy, which does no items of jobs. Take it over first, or ask its original.',
    );
}

/** @throws {ApiProblem} */
async function ask(context: HttpStaffApiDeps, asked: JobRequest, origin: Origin) {
  requireOriginal(context);
  return jobOf(await askForBulk(context, { ...asked, ...origin }));
}

const jobPath = z.strictObject({ job_id: idIn });

/** @throws {ApiProblem} */
async function jobIn(context: HttpStaffApiDeps, id: string): Promise<BulkJobFacts> {
  const found = await readBulk(context, id);
  if (found) return found;
  throw nothingThere('No job has this id.');
}

const NOT_BACK =
  'The job still runs, was taken back, or ended more than 30 days ago. Stop it first where it runs.';

const STILL_DONE =
  'An item is still being done. Try again in a moment, or in ten minutes where its process ended.';

/** Who may not do an action may not stop it or take it back. */
function requireRoleFor({ job: { action } }: BulkJobFacts, { role }: KeyCaller): void {
  const { needs } = BULK_ACTIONS[action];
  if (!mayAct(role, needs))
    throw new ApiProblem('role-too-low', `It takes the role “${needs}”. Nothing was changed.`);
}

export const JOB_OPERATIONS = [
  operation({
    ...WRITE,
    id: 'extendApps',
    path: '/jobs/extend-apps',
    needs: BULK_ACTIONS.extend_apps.needs,
    summary: 'Gives many apps a later retirement or a later sunset',
    body: z.strictObject({
      client_ids: many(hexId),
      date: z.enum(['retirement', 'sunset']),
      until: momentIn,
      reason: reasonIn,
    }),
    problems: ['not-possible'],
    run: (context, { body: { client_ids: subjects, date, until, reason }, origin }) =>
      ask(context, { action: 'extend_apps', input: { date, until }, subjects, reason }, origin),
  }),
  operation({
    ...WRITE,
    id: 'assignTokens',
    path: '/jobs/assign-tokens',
    needs: BULK_ACTIONS.assign_tokens.needs,
    summary: 'Says of many tokens to which app they belong',
    body: z.strictObject({ token_ids: many(hexId), client_id: hexId, reason: reasonIn }),
    problems: ['not-possible'],
    run: (context, { body: { token_ids: subjects, client_id: clientId, reason }, origin }) =>
      ask(context, { action: 'assign_tokens', input: { clientId }, subjects, reason }, origin),
  }),
  operation({
    ...WRITE,
    id: 'makeLinks',
    path: '/jobs/make-links',
    needs: BULK_ACTIONS.make_links.needs,
    summary: 'Makes the links by which many accounts connect an app again',
    body: z.strictObject({ account_ids: many(accountId), client_id: hexId, reason: reasonIn }),
    problems: ['not-possible'],
    run: (context, { body: { account_ids: subjects, client_id: clientId, reason }, origin }) =>
      ask(context, { action: 'make_links', input: { clientId }, subjects, reason }, origin),
  }),
  operation({
    id: 'listJobs',
    method: 'get',
    path: '/jobs',
    needs: 'reader',
    tag: 'jobs',
    summary: 'The jobs, the newest first',
    query: cursorQuery,
    answer: z.object({ jobs: z.array(jobSchema), next_cursor: nextCursor }),
    async run(context, { query }) {
      const { jobs, next } = await bulkPage(context, afterId(query.cursor));
      return { jobs: jobs.map(jobOf), next_cursor: next ?? null };
    },
  }),
  operation({
    id: 'readJob',
    method: 'get',
    path: '/jobs/{job_id}',
    needs: 'reader',
    tag: 'jobs',
    summary: 'How far a job is',
    parameters: jobPath,
    answer: jobSchema,
    problems: ['not-found'],
    run: async (context, { path }) => jobOf(await jobIn(context, path.job_id)),
  }),
  operation({
    id: 'listJobItems',
    method: 'get',
    path: '/jobs/{job_id}/items',
    needs: 'agent',
    tag: 'jobs',
    summary: 'What came of each item of a job',
    parameters: jobPath,
    query: cursorQuery,
    answer: z.object({ items: z.array(itemSchema), next_cursor: nextCursor }),
    problems: ['not-found'],
    async run(context, { path, query }) {
      const { job } = await jobIn(context, path.job_id);
      const { items, next } = await bulkItemsPage(context, job.id, beforeOf(query.cursor));
      return { items: items.map(itemOf), next_cursor: next === undefined ? null : String(next) };
    },
  }),
  operation({
    ...WRITE,
    id: 'stopJob',
    path: '/jobs/{job_id}/stop',
    needs: 'agent',
    summary: 'Stops a job, or its taking back: no further item is begun',
    parameters: jobPath,
    body: z.strictObject({}),
    problems: ['not-found', 'not-possible'],
    async run(context, { path: { job_id: id }, caller, origin }) {
      requireRoleFor(await jobIn(context, id), caller);
      if (!(await stopBulk(context, { id, ...origin }))) throw notPossible('The job does not run.');
      return jobOf(await jobIn(context, id));
    },
  }),
  operation({
    ...WRITE,
    id: 'takeJobBack',
    path: '/jobs/{job_id}/take-back',
    needs: 'agent',
    summary: 'Takes back what a job has done, where it was not changed since',
    parameters: jobPath,
    body: z.strictObject({}),
    problems: ['not-found', 'not-possible'],
    async run(context, { path: { job_id: id }, caller, origin }) {
      const found = await jobIn(context, id);
      requireRoleFor(found, caller);
      if (!canTakeBack(found.job.action))
        throw notPossible('Links cannot be taken back; they open nothing by themselves.');
      if (found.counts.running || found.counts.undoing) throw notPossible(STILL_DONE);
      requireOriginal(context);
      const isBegun = await takeBulkBack(context, { id, ...origin });
      if (!isBegun) throw notPossible(NOT_BACK);
      return jobOf(await jobIn(context, id));
    },
  }),
];
