import { newestProgress } from '../../store/progress/progress.ts';
import { progressOfAllSince, progressSince, sumChanges } from '../../store/progress/progress-days.ts';
import type { MappingState } from '../../store/tables/tables.ts';
import { lastDays } from '../usage/calls-per-day.ts';
import type { ProgressDeps } from './deps.ts';

type CountDeps = Pick<ProgressDeps, 'store' | 'clock'>;

/** How tokens move from the old API, day by day. */
export interface ProgressDay {
  /** `YYYY-MM-DD`, UTC. */
  day: string;
  /** Tokens that a live grant serves. */
  mapped: number;
  /** Tokens that wait for a consent. */
  waiting: number;
  /** Tokens whose app has taken the token pair over. */
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

/** For each day, the numbers of the last row up to this day; days and rows in the order of days. */
function dayByDay(days: readonly string[], rows: readonly Row[]): ProgressDay[] {
  let next = 0;
  return days.map((day) => {
    while ((rows[next]?.day ?? '~') <= day) next += 1;
    return told(day, rows[next - 1]);
  });
}

/** The numbers of each day, added up from the changes of the days. */
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
 * How many tokens were in which state on each of the last `days` (today included), the oldest day first: of all apps of
 * an owner together, or of all apps. Tokens are counted once an hour. A day without a count repeats the day before.
 */
export async function progressOf(
  context: CountDeps,
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

const isCounted = ({ mapped, waiting, migrated, revoked }: ProgressDay) =>
  mapped + waiting + migrated + revoked > 0;

/** The days from the first counted token on: before the first count the numbers are unknown, not zero. */
export function sinceCounted(days: readonly ProgressDay[]): ProgressDay[] {
  const first = days.findIndex(isCounted);
  return first < 0 ? [] : days.slice(first);
}

/** The numbers of `progressOf` for each of these apps, by client id. */
export async function progressOfApps(
  context: CountDeps,
  clientIds: readonly string[],
  { days }: { days: number },
): Promise<Map<string, ProgressDay[]>> {
  const axis = lastDays(context, days);
  const rows = await progressSince(context.store.durable, clientIds, axis[0] ?? '');
  const ofOne = (id: string) => rows.filter(({ client_id: own }) => own === id);
  return new Map(clientIds.map((id) => [id, dayByDay(axis, ofOne(id))]));
}

/** How many tokens of each of these apps are not revoked, by the last count; an app without a count is left out. */
export async function tokensCounted(
  { store }: Pick<ProgressDeps, 'store'>,
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
