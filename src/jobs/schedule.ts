import { schedule, type ScheduledTask } from 'node-cron';
import type { Context } from '../domain/context.ts';
import { runBulkJobs } from '../domain/bulk/run-bulk-jobs.ts';
import { keepMovingCalls } from '../domain/cut-over/outlook.ts';
import { recoverSpilledPairs } from '../domain/grants/refresh/store-rotated-pair.ts';
import { countImports } from './count-imports.ts';
import { settleLeaks } from './settle-leaks.ts';
import { withLease } from '../domain/work/lease.ts';
import { settlePendingRevocations } from '../domain/grants/pending-revocations.ts';
import { keepProgress } from '../domain/progress/keep-progress.ts';
import { purgeExpired, purgeShortLived } from '../domain/purge-expired.ts';
import { refreshIdleGrants } from '../domain/grants/refresh/refresh-idle-grants.ts';
import { shortenStop } from '../domain/grants/refresh/stop/shorten-stop.ts';
import { settleWrites } from '../domain/posts/writes/settle-writes.ts';
import { noteLastUse } from '../domain/reminders/note-last-use.ts';
import { planReminders } from '../domain/reminders/plan-reminders.ts';
import { sendWebhooks } from '../domain/webhooks/deliver.ts';
import { readHistoryForWebhooks } from '../domain/webhooks/read-history.ts';
import { tellByTime } from '../domain/webhooks/told-by-time.ts';
import { resolveDoubts } from '../domain/grants/resolve-doubts.ts';
import { MINUTE, SECOND } from '../shared/lifetimes.ts';
import { cronLines } from './cron-lines.ts';
import { sendReminders } from './send-reminders.ts';

interface Job {
  name: string;
  /** In UTC. A tick only wakes the job: the database says what is due. */
  cron: string;
  run: (context: Context) => Promise<void>;
  /**
   * Whether every process runs the job without a lease: spilled pairs lie on one machine, mails and messages of
   * webhooks are claimed one by one, and each process knows the imports that it took.
   */
  isLocal?: true;
}

/** A holder that died keeps the other processes from a job for this long. */
const LEASE_LIMIT = 5 * MINUTE;

const JOBS: readonly Job[] = [
  { name: 'spilled-pairs', cron: '* * * * *', run: recoverSpilledPairs, isLocal: true },
  { name: 'shorten-stop', cron: '*/5 * * * * *', run: shortenStop, isLocal: true },
  { name: 'settle-doubts', cron: '*/10 * * * * *', run: resolveDoubts, isLocal: true },
  { name: 'settle-writes', cron: '*/10 * * * * *', run: settleWrites },
  { name: 'bulk-jobs', cron: '*/5 * * * * *', run: runBulkJobs, isLocal: true },
  { name: 'leaked-tokens', cron: '* * * * *', run: settleLeaks },
  { name: 'read-history-for-webhooks', cron: '*/5 * * * * *', run: readHistoryForWebhooks },
  { name: 'tell-webhooks-by-time', cron: '* * * * *', run: tellByTime },
  { name: 'send-webhooks', cron: '*/5 * * * * *', run: sendWebhooks, isLocal: true },
  { name: 'owed-revocations', cron: '* * * * *', run: settlePendingRevocations },
  { name: 'refresh-idle-grants', cron: '* * * * *', run: refreshIdleGrants },
  { name: 'purge-short-lived', cron: '* * * * *', run: purgeShortLived },
  { name: 'purge-expired', cron: '17 * * * *', run: purgeExpired },
  { name: 'keep-progress', cron: '29 * * * *', run: keepProgress },
  {
    name: 'count-imports',
    cron: '* * * * *',
    run: (context) => countImports(context, { name: 'job keep-progress', limit: LEASE_LIMIT }),
    isLocal: true,
  },
  { name: 'keep-moving-calls', cron: '41 * * * *', run: keepMovingCalls },
];

/**
 * Plans every hour as well, whatever the setting says: a setting that plans only at night would miss every person's
 * morning.
 */
const PLAN_HOURLY = '5 * * * *';

function reminderJobs({ settings }: Context): Job[] {
  // Pages and the staff API tell the last use of a token; a plan keeps it too.
  if (!settings.sendsReminders) return [{ name: 'keep-last-uses', cron: PLAN_HOURLY, run: noteLastUse }];
  const planning = {
    name: 'plan-reminders',
    run: async (context: Context) => void (await planReminders(context)),
  };
  return [
    { ...planning, cron: settings.reminderCron },
    { ...planning, cron: PLAN_HOURLY },
    { name: 'send-reminders', cron: '* * * * *', run: sendReminders, isLocal: true },
  ];
}

/** A turn that another process takes is no success of this process. */
async function runJob(context: Context, { name, run, isLocal }: Job): Promise<void> {
  const { jobs } = context.metrics;
  const work = async () => {
    await run(context);
    jobs.succeeded(name);
  };
  if (isLocal) return work();
  await withLease(context, { name: `job ${name}`, limit: LEASE_LIMIT }, work);
}

/** A job runs every ten seconds, every minute or every hour. Planning has a turn every hour whatever its setting says. */
function intervalOf({ cron }: Job): number {
  if (cron.split(' ').length > 5) return 10 * SECOND;
  return cron.startsWith('* ') ? MINUTE : 60 * MINUTE;
}

/**
 * Runs a job unless the process stops. The stop also ends a running job between two of its pages (`yieldToEventLoop`).
 */
async function runUnlessStopping(context: Context, job: Job): Promise<void> {
  const { signal } = context.shutdown;
  if (signal.aborted) return;
  try {
    await context.flights.run(`job ${job.name}`, () => runJob(context, job));
    context.troubles.jobs.done(job.name);
  } catch (error) {
    if (signal.aborted) return;
    context.metrics.jobs.failed(job.name);
    context.troubles.jobs.note(job.name, error);
  }
}

/** Runs each job once now and then on its schedule. The returned function stops the schedules. */
export function startJobs(context: Context): () => Promise<void> {
  const tasks: ScheduledTask[] = [...JOBS, ...reminderJobs(context)].map((job) => {
    const { name, cron } = job;
    const run = () => runUnlessStopping(context, job);
    context.metrics.jobs.begin(name, intervalOf(job));
    void run();
    const logger = cronLines(context.logger, name);
    return schedule(cron, run, { name, timezone: 'UTC', noOverlap: true, logger });
  });
  return async () => {
    for (const task of tasks) await task.destroy();
  };
}
