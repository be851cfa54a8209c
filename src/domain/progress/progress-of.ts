import { newestProgress, type ProgressOf, sumChanges } from '../../store/progress.ts';
import { lastDays } from '../calls-per-day.ts';
import type { Context } from '../context.ts';

/** How tokens move from the old API, day by day. */
export interface ProgressDay {
  /** `YYYY-MM-DD`, UTC. */
  day: string;
  /** Served by a modern grant. */
  mapped: number;
  /** For a consent. */
  waiting: number;
  /** With an app that moved on to the new API. */
  migrated: number;
  revoked: number;
}

type Changes = Awaited<ReturnType<typeof sumChanges>>[number];

function after(last: ProgressDay, change: Changes): ProgressDay {
  return {
    day: change.day,
    mapped: last.mapped + change.active,
    waiting: last.waiting + change.unmapped + change.reauthorization_required,
    migrated: last.migrated + change.migrated,
    revoked: last.revoked + change.revoked,
  };
}

/**
 * How many tokens stood where on each of the last `days` (today is one of them), the oldest first: of one app, of the apps
 * of an owner, or of all apps together. It is counted once an hour; a day without a count is as the day before it.
 */
export async function progressOf(
  context: Pick<Context, 'store' | 'clock'>,
  of: { ownerAccountId: string } | { clientId: string } | 'all',
  { days }: { days: number },
): Promise<ProgressDay[]> {
  const asked: ProgressOf = of === 'all' ? {} : of;
  const changes = await sumChanges(context.store.durable, asked);
  let last: ProgressDay = { day: '', mapped: 0, waiting: 0, migrated: 0, revoked: 0 };
  let next = 0;
  return lastDays(context, days).map((day) => {
    for (; (changes[next]?.day ?? '~') <= day; next += 1) last = after(last, changes[next] as Changes);
    return { ...last, day };
  });
}

/** How many tokens of each of these apps are not revoked, as last counted; an app that has none is left out. */
export async function tokensCounted(
  { store }: Pick<Context, 'store'>,
  clientIds: readonly string[],
): Promise<Map<string, { waiting: number; alive: number; waitingPeople: number }>> {
  const rows = await newestProgress(store.durable, clientIds);
  return new Map(
    rows.map(({ client_id, unmapped, reauthorization_required, active, migrated, waiting_people }) => {
      const waiting = unmapped + reauthorization_required;
      return [client_id, { waiting, alive: waiting + active + migrated, waitingPeople: waiting_people }];
    }),
  );
}
