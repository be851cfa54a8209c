import type { DateName, Milestone } from '../../store/tables/lifecycle.ts';

/**
 * What ends when (docs/decisions/0012): pure functions of one moment and one reading of the tables, so that every
 * process that knows the same rows decides alike to the millisecond.
 */

export { DATE_NAMES, type DateName, type Milestone } from '../../store/tables/lifecycle.ts';

/** A window [`startsAt`, `endsAt`) in which calls are answered as they will be after a date. */
export interface Brownout {
  id: string;
  /** Undefined for all apps; else the one whose owner rehearses. */
  clientId: string | undefined;
  rehearses: Milestone;
  startsAt: number;
  endsAt: number;
  /** What callers and readers are told, in one sentence or two. */
  text: string;
}

/** Whether a date changes how calls are answered: a retirement takes away only what an old backend answers before it. */
export function changesCalls(milestone: Milestone, hasBackend: boolean): boolean {
  return hasBackend || milestone === 'sunset';
}

/** Under what name usage keeps the calls that an owner's own brownout made fail, in the place of a token's id. */
export function rehearsalId(brownoutId: string): string {
  return `rehearsal:${brownoutId}`;
}

/** All that is known of dates; times in Unix milliseconds. */
export interface Lifecycle {
  dates: Readonly<Partial<Record<DateName, number>>>;
  /** What apps were given more time for, by client id. */
  extensions: ReadonlyMap<string, Partial<Record<Milestone, number>>>;
  /** Until when apps are left out of the brownouts of all, by client id. */
  exemptions: ReadonlyMap<string, number>;
  /** Those that are not over, by their start. */
  brownouts: readonly Brownout[];
}

/** Why a call is answered as after a date: the date has come, or a brownout rehearses it. */
export type Ending =
  | { because: 'date'; milestone: Milestone; at: number }
  | { because: 'brownout'; milestone: Milestone; brownout: Brownout };

/** For whom and when; without a client id for an app that nothing is known of. */
interface Asked {
  clientId: string | undefined;
  now: number;
}

/** The date that applies to an app: the one of all, or the end of its extension where that is later. */
export function dateFor(
  { dates, extensions }: Lifecycle,
  milestone: Milestone,
  clientId: string | undefined,
): number | undefined {
  const common = dates[milestone];
  const extended = clientId === undefined ? undefined : extensions.get(clientId)?.[milestone];
  return common === undefined || extended === undefined ? common : Math.max(common, extended);
}

/** A date that brings something to an app. */
export interface AppDate {
  milestone: Milestone;
  at: number;
  /** The date of all others, where this app was given more time. */
  forOthers: number | undefined;
}

function appDate(lifecycle: Lifecycle, milestone: Milestone, clientId: string | undefined): AppDate[] {
  const at = dateFor(lifecycle, milestone, clientId);
  const common = lifecycle.dates[milestone];
  if (at === undefined || common === undefined) return [];
  return [{ milestone, at, forOthers: at > common ? common : undefined }];
}

/**
 * The dates that bring something to an app, the earlier first, past ones too. A retirement brings nothing where the sunset
 * comes before it, or once the sunset has come.
 */
export function datesOf(lifecycle: Lifecycle, { clientId, now }: Asked): AppDate[] {
  const retirement = appDate(lifecycle, 'retirement', clientId);
  const sunset = appDate(lifecycle, 'sunset', clientId);
  const isMoot = retirement.some(({ at }) => sunset.some((end) => end.at <= Math.max(now, at)));
  return isMoot ? sunset : [...retirement, ...sunset];
}

function concerns({ exemptions }: Lifecycle, brownout: Brownout, { clientId, now }: Asked): boolean {
  if (brownout.clientId !== undefined) return brownout.clientId === clientId;
  return clientId === undefined || (exemptions.get(clientId) ?? 0) <= now;
}

function runningOf({ brownouts }: Lifecycle, milestone: Milestone, now: number): Brownout[] {
  return brownouts.filter(
    ({ rehearses, startsAt, endsAt }) => rehearses === milestone && startsAt <= now && now < endsAt,
  );
}

/**
 * Why an app meets what a milestone brings, at this moment; undefined while it does not. An owner's own brownout goes before
 * one of all, so that what it makes fail is counted for the owner.
 */
export function endingOf(lifecycle: Lifecycle, milestone: Milestone, asked: Asked): Ending | undefined {
  const at = dateFor(lifecycle, milestone, asked.clientId);
  if (at !== undefined && asked.now >= at) return { because: 'date', milestone, at };
  const met = runningOf(lifecycle, milestone, asked.now).filter((one) => concerns(lifecycle, one, asked));
  const brownout = met.find(({ clientId }) => clientId !== undefined) ?? met[0];
  return brownout && { because: 'brownout', milestone, brownout };
}

/** Whether an app is left out of a brownout of all from its first moment to its last. */
function isSpared({ exemptions }: Lifecycle, { endsAt }: Brownout, clientId: string | undefined): boolean {
  return clientId !== undefined && (exemptions.get(clientId) ?? 0) >= endsAt;
}

/** The brownouts that an app meets at this moment or will meet, its owner's own ones too, by their start. */
export function brownoutsAhead(lifecycle: Lifecycle, { clientId, now }: Asked): Brownout[] {
  return lifecycle.brownouts.filter((one) => {
    // What has come for good before it is not rehearsed any more.
    const comesAt = dateFor(lifecycle, one.rehearses, clientId) ?? Infinity;
    if (one.endsAt <= now || comesAt <= Math.max(now, one.startsAt)) return false;
    return one.clientId === undefined ? !isSpared(lifecycle, one, clientId) : one.clientId === clientId;
  });
}

/** What of an ending a caller can see: that a date has come, or which brownout runs. */
function nameOf(ending: Ending | undefined): string | undefined {
  return ending?.because === 'brownout' ? ending.brownout.id : ending?.because;
}

/**
 * Whether some app meets another answer at this moment than a call of which no app is known. That an extension ran out makes
 * no difference: whoever had more time is told the date of all once it is over too.
 */
export function dependsOnApp(lifecycle: Lifecycle, milestone: Milestone, now: number): boolean {
  const common = endingOf(lifecycle, milestone, { clientId: undefined, now });
  const running = runningOf(lifecycle, milestone, now);
  if (common === undefined && running.length === 0) return false;
  const named = [
    ...lifecycle.extensions.keys(),
    ...lifecycle.exemptions.keys(),
    ...running.flatMap(({ clientId }) => clientId ?? []),
  ];
  return named.some(
    (clientId) => nameOf(endingOf(lifecycle, milestone, { clientId, now })) !== nameOf(common),
  );
}
