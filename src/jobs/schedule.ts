import { setTimeout as delay } from 'node:timers/promises';
import type { Context } from '../domain/context.ts';
import { runBulkJobs } from '../domain/bulk/run-bulk-jobs.ts';
import { keepMovingCalls } from '../domain/cut-over/outlook.ts';
import { recoverSpilledPairs } from '../domain/grants/refresh/store-rotated-pair.ts';
import { countImports } from './count-imports.ts';
import { settleLeaks } from './settle-leaks.ts';
import { leaseNamed, withLease } from '../domain/work/lease.ts';
import { settlePendingRevocations } from '../domain/grants/pending-revocations.ts';
import { keepProgress } from '../domain/progress/keep-progress.ts';
import { purgeExpired, purgeShortLived } from '../domain/purge-expired.ts';
import { redateWaiting } from '../domain/redate-waiting.ts';
import { refreshIdleGrants } from '../domain/grants/refresh/refresh-idle-grants.ts';
import { shortenStop } from '../domain/grants/refresh/stop/shorten-stop.ts';
import { settleWrites } from '../domain/posts/writes/settle-writes.ts';
import { noteLastUse } from '../domain/reminders/note-last-use.ts';
import { planReminders } from '../domain/reminders/plan-reminders.ts';
import { sendWebhooks } from '../domain/webhooks/deliver.ts';
import { readHistoryForWebhooks } from '../domain/webhooks/read-history.ts';
import { tellByTime } from '../domain/webhooks/told-by-time.ts';
import { resolveDoubts } from '../domain/grants/resolve-doubts.ts';
import { HOUR, MINUTE, SECOND } from '../shared/lifetimes.ts';
import { type RepeatedWork, repeat } from '../shared/repeat.ts';
import { sendReminders } from './send-reminders.ts';
import { type EvenTurns, repeatByCron, untilTurn } from './turns.ts';

/** A turn only wakes the job: the database says what is due. */
interface Job extends EvenTurns {
  name: string;
  /** Further turns, at the moments of a cron expression. */
  cron?: string;
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
  { name: 'spilled-pairs', every: MINUTE, run: recoverSpilledPairs, isLocal: true },
  { name: 'shorten-stop', every: 5 * SECOND, run: shortenStop, isLocal: true },
  { name: 'settle-doubts', every: 10 * SECOND, run: resolveDoubts, isLocal: true },
  { name: 'settle-writes', every: 10 * SECOND, run: settleWrites },
  { name: 'bulk-jobs', every: 5 * SECOND, run: runBulkJobs, isLocal: true },
  { name: 'leaked-tokens', every: MINUTE, run: settleLeaks },
  { name: 'read-history-for-webhooks', every: 5 * SECOND, run: readHistoryForWebhooks },
  { name: 'tell-webhooks-by-time', every: MINUTE, run: tellByTime },
  { name: 'send-webhooks', every: 5 * SECOND, run: sendWebhooks, isLocal: true },
  { name: 'owed-revocations', every: MINUTE, run: settlePendingRevocations },
  { name: 'refresh-idle-grants', every: MINUTE, run: refreshIdleGrants },
  { name: 'purge-short-lived', every: MINUTE, run: purgeShortLived },
  { name: 'redate-waiting', every: MINUTE, run: redateWaiting },
  { name: 'purge-expired', every: HOUR, past: 17 * MINUTE, run: purgeExpired },
  { name: 'keep-progress', every: HOUR, past: 29 * MINUTE, run: keepProgress },
  {
    name: 'count-imports',
    every: MINUTE,
    run: (context) => countImports(context, { name: 'job keep-progress', limit: LEASE_LIMIT }),
    isLocal: true,
  },
  { name: 'keep-moving-calls', every: HOUR, past: 41 * MINUTE, run: keepMovingCalls },
];

/**
 * Plans every hour as well, whatever the setting says: a setting that plans only at night would miss every person's
 * morning.
 */
const PLAN_HOURLY: EvenTurns = { every: HOUR, past: 5 * MINUTE };

async function planDueReminders(context: Context): Promise<void> {
  await planReminders(context);
}

function reminderJobs({ settings }: Context): Job[] {
  // Pages and the staff API tell the last use of a token; a plan keeps it too.
  if (!settings.sendsReminders) return [{ name: 'keep-last-uses', ...PLAN_HOURLY, run: noteLastUse }];
  return [
    { name: 'plan-reminders', ...PLAN_HOURLY, cron: settings.reminderCron, run: planDueReminders },
    { name: 'send-reminders', every: MINUTE, run: sendReminders, isLocal: true },
  ];
}

const leaseOf = ({ name }: Job) => `job ${name}`;

/** Whether the job ran. A turn that another process takes is no success of this process. */
async function runJob(context: Context, job: Job): Promise<boolean> {
  const { jobs } = context.metrics;
  const work = async () => {
    await job.run(context);
    jobs.succeeded(job.name);
  };
  if (!job.isLocal) return withLease(context, { name: leaseOf(job), limit: LEASE_LIMIT }, work);
  await work();
  return true;
}

/**
 * Runs a job unless the process stops; false where another process holds its lease. The stop also ends a running job
 * between two of its pages (`yieldToEventLoop`).
 */
async function runUnlessStopping(context: Context, job: Job): Promise<boolean> {
  const { signal } = context.shutdown;
  if (signal.aborted) return true;
  try {
    const isOurs = await context.flights.run(`job ${job.name}`, () => runJob(context, job));
    context.troubles.jobs.done(job.name);
    return isOurs;
  } catch (error) {
    if (signal.aborted) return true;
    context.metrics.jobs.failed(job.name);
    context.troubles.jobs.note(job.name, error);
    return true;
  }
}

/**
 * Whether the holder of the lease that kept a job from its first run is dead, known when the lease has ended. A process that was
 * killed in the job leaves its lease, and the next turn may be an hour away. A living holder has
 * given it back by then, unless one run takes longer than a lease lasts.
 */
async function isLeftBehind(context: Context, job: Job): Promise<boolean> {
  const seen = await leaseNamed(context, leaseOf(job));
  if (!seen) return false;
  // A timer may be early, and a lease that has not ended would keep the job from this run too.
  const left = Math.max(seen.until - context.clock.now(), 0) + 0.1 * SECOND;
  await delay(Math.min(left, LEASE_LIMIT), undefined, { ref: false, signal: context.shutdown.signal });
  const standing = await leaseNamed(context, leaseOf(job));
  return standing?.holder === seen.holder && standing.until === seen.until;
}

/** Runs a job once now and then at its turns. */
function startJob(context: Context, job: Job): Array<Pick<RepeatedWork, 'stop'>> {
  context.metrics.jobs.begin(job.name, job.every);
  let isOurs = true;
  const turns = repeat(
    async () => {
      isOurs = await runUnlessStopping(context, job);
    },
    () => untilTurn(job, context.clock.now()),
  );
  const runFirst = async () => {
    await turns.run();
    if (isOurs || job.every <= LEASE_LIMIT) return;
    if (await isLeftBehind(context, job)) await turns.run();
  };
  // The stop ends the wait, and without the table of leases no lease keeps a job from its run.
  runFirst().catch(() => undefined);
  return job.cron === undefined ? [turns] : [turns, repeatByCron(() => turns.run(), job.cron)];
}

/**
 * Runs each job once now and then at its turns, and one that the lease of a dead process kept from its first run also when that lease ends.
 * The returned function stops the turns. It waits for no run: runs are flights, which the stop of a process ends later
 * (`flights.close`).
 */
export function startJobs(context: Context): () => Promise<void> {
  const turns = [...JOBS, ...reminderJobs(context)].flatMap((job) => startJob(context, job));
  return async () => {
    for (const one of turns) void one.stop();
  };
}
