import { schedule, type ScheduledTask } from 'node-cron';
import type { Context } from '../domain/context.ts';
import { settleOwedRevocations } from '../domain/owe-revocation.ts';
import { purgeExpired } from '../domain/purge-expired.ts';

/** When each job runs, in UTC. A tick is only a hint: what is due stands in the database. */
const JOBS: ReadonlyArray<{ name: string; cron: string; run: (context: Context) => Promise<void> }> = [
  { name: 'purge-expired', cron: '17 * * * *', run: purgeExpired },
  { name: 'owed-revocations', cron: '* * * * *', run: settleOwedRevocations },
];

/** Starts the jobs, each once at once and then on its schedule; the answer stops them. */
export function startJobs(context: Context): () => Promise<void> {
  const tasks: ScheduledTask[] = JOBS.map(({ name, cron, run }) => {
    const guarded = async () => {
      await context.flights
        .run(`job ${name}`, () => run(context))
        .catch((error: unknown) => context.logger.error('a job failed', { job: name, error }));
    };
    void guarded();
    return schedule(cron, guarded, { name, timezone: 'UTC', noOverlap: true });
  });
  return async () => {
    for (const task of tasks) await task.destroy();
  };
}
