import type { DateName, Milestone } from '../store/lifecycle-tables.ts';

/**
 * What ends when (design 6): pure functions of one moment and one reading of the tables, so that every process that knows
 * the same rows decides alike to the millisecond.
 */

export type { DateName, Milestone } from '../store/lifecycle-tables.ts';

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
