import { newestProgress } from '../../store/progress/progress.ts';
import { progressOfAllSince, progressSince, sumChanges } from '../../store/progress/progress-days.ts';
import type { MappingState } from '../../store/tables/tables.ts';
import { lastDays } from '../usage/calls-per-day.ts';
import type { Context } from '../context.ts';

type Parts = Pick<Context, 'store' | 'clock'>;

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

type Row = Awaited<ReturnType<typeof sumChanges>>[number];

const STATES: readonly MappingState[] = [
  'unmapped',
  'active',
  'reauthorization_required',
  'revoked',
  'migrated',
];

function told(day: string, row: Row | undefined): ProgressDay {
  if (!row) return { day, mapped: 0, waiting: 0, migrated: 0, revoked: 0 };
  const { active, unmapped, reauthorization_required: required, migrated, revoked } = row;
  return { day, mapped: active, waiting: unmapped + required, migrated, revoked };
}

/** Each of the days as the last of these rows up to it; both in the order of days. */
function dayByDay(days: readonly string[], rows: readonly Row[]): ProgressDay[] {
  let next = 0;
  return days.map((day) => {
    while ((rows[next]?.day ?? '~') <= day) next += 1;
    return told(day, rows[next - 1]);
  });
}

/** The numbers of each day, from what changed on it. */
function addedUp(changes: readonly Row[]): Row[] {
  let last: Row | undefined;
  return changes.map((change) => {
    const row = { ...change };
    for (const state of STATES) row[state] += last?.[state] ?? 0;
    last = row;
    return row;
  });
}

/**
 * How many tokens stood where on each of the last `days` (today is one of them), the oldest first: of the apps of an owner
 * together, or of all apps. It is counted once an hour; a day without a count is as the day before it.
 */
export async function progressOf(
  context: Parts,
  of: { ownerAccountId: string } | 'all',
  { days }: { days: number },
): Promise<ProgressDay[]> {
  const { durable } = context.store;
  const axis = lastDays(context, days);
  const rows =
    of === 'all'
      ? await progressOfAllSince(durable, axis[0] ?? '')
      : addedUp(await sumChanges(durable, of.ownerAccountId));
  return dayByDay(axis, rows);
}

/** The same of each of these apps, by their ids. */
export async function progressOfApps(
  context: Parts,
  clientIds: readonly string[],
  { days }: { days: number },
): Promise<Map<string, ProgressDay[]>> {
  const axis = lastDays(context, days);
  const rows = await progressSince(context.store.durable, clientIds, axis[0] ?? '');
  const ofOne = (id: string) => rows.filter(({ client_id: own }) => own === id);
  return new Map(clientIds.map((id) => [id, dayByDay(axis, ofOne(id))]));
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
