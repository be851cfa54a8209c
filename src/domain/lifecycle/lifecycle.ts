import type { DateName, Milestone } from '../../store/tables/lifecycle.ts';

/**
 * The rules of the dates (docs/decisions/0012): pure functions of one moment and one reading of the tables. Every
 * process that has read the same rows decides the same, to the millisecond.
 */

export { DATE_NAMES, type DateName, type Milestone } from '../../store/tables/lifecycle.ts';

/** A window [`startsAt`, `endsAt`) in which calls get the answers of the time after a date. */
export interface Brownout {
  id: string;
  /** The app whose owner rehearses; undefined for a brownout of all apps. */
  clientId: string | undefined;
  rehearses: Milestone;
  startsAt: number;
  endsAt: number;
  /** The explanation for callers and readers, in one or two sentences. */
  text: string;
}

/**
 * Whether a date changes the answers to calls. A retirement ends only the answers of the old API, so it changes nothing
 * where no old API runs.
 */
export function changesCalls(milestone: Milestone, hasBackend: boolean): boolean {
  return hasBackend || milestone === 'sunset';
}

/**
 * The id under which usage counts the calls that failed because of an owner's rehearsal. It stands in the place of the
 * id of a token.
 */
export function rehearsalId(brownoutId: string): string {
  return `rehearsal:${brownoutId}`;
}

/** All dates, extensions, exemptions and brownouts. Times are in Unix milliseconds. */
export interface Lifecycle {
  dates: Readonly<Partial<Record<DateName, number>>>;
  /** The ends of extensions, by client id and milestone. */
  extensions: ReadonlyMap<string, Partial<Record<Milestone, number>>>;
  /** The ends of exemptions from the brownouts of all apps, by client id. */
  exemptions: ReadonlyMap<string, number>;
  /** The brownouts that are not over, in the order of their start. */
  brownouts: readonly Brownout[];
}

/** Why a call gets the answer of the time after a date: the date has come, or a brownout rehearses the date. */
export type LifecycleEnding =
  | { because: 'date'; milestone: Milestone; at: number }
  | { because: 'brownout'; milestone: Milestone; brownout: Brownout };

/** The app and the moment of a question. The client id is undefined for an app that is not known. */
interface AppMoment {
  clientId: string | undefined;
  now: number;
}

/** The date that applies to an app: the date of all apps, or the end of its extension if later. */
export function dateFor(
  { dates, extensions }: Lifecycle,
  milestone: Milestone,
  clientId: string | undefined,
): number | undefined {
  const common = dates[milestone];
  const extended = clientId === undefined ? undefined : extensions.get(clientId)?.[milestone];
  return common === undefined || extended === undefined ? common : Math.max(common, extended);
}

/** A date that changes something for an app. */
export interface AppDate {
  milestone: Milestone;
  at: number;
  /** The date of all other apps, where this app has more time. */
  forOthers: number | undefined;
}

function appDate(lifecycle: Lifecycle, milestone: Milestone, clientId: string | undefined): AppDate[] {
  const at = dateFor(lifecycle, milestone, clientId);
  const common = lifecycle.dates[milestone];
  if (at === undefined || common === undefined) return [];
  return [{ milestone, at, forOthers: at > common ? common : undefined }];
}

/**
 * The dates that change something for an app, past and ahead, the earlier date first. The retirement is left out where
 * the sunset comes before the retirement, or once the sunset has come.
 */
export function datesOf(lifecycle: Lifecycle, { clientId, now }: AppMoment): AppDate[] {
  const retirement = appDate(lifecycle, 'retirement', clientId);
  const sunset = appDate(lifecycle, 'sunset', clientId);
  const isMoot = retirement.some(({ at }) => sunset.some((end) => end.at <= Math.max(now, at)));
  return isMoot ? sunset : [...retirement, ...sunset];
}

function concerns({ exemptions }: Lifecycle, brownout: Brownout, { clientId, now }: AppMoment): boolean {
  if (brownout.clientId !== undefined) return brownout.clientId === clientId;
  return clientId === undefined || (exemptions.get(clientId) ?? 0) <= now;
}

function runningOf({ brownouts }: Lifecycle, milestone: Milestone, now: number): Brownout[] {
  return brownouts.filter(
    ({ rehearses, startsAt, endsAt }) => rehearses === milestone && startsAt <= now && now < endsAt,
  );
}

/**
 * Why a milestone concerns an app at this moment; undefined while it does not. An owner's rehearsal is named before a
 * brownout of all apps, so that usage counts the failed calls for the owner.
 */
export function endingOf(
  lifecycle: Lifecycle,
  milestone: Milestone,
  asked: AppMoment,
): LifecycleEnding | undefined {
  const at = dateFor(lifecycle, milestone, asked.clientId);
  if (at !== undefined && asked.now >= at) return { because: 'date', milestone, at };
  const met = runningOf(lifecycle, milestone, asked.now).filter((one) => concerns(lifecycle, one, asked));
  const brownout = met.find(({ clientId }) => clientId !== undefined) ?? met[0];
  return brownout && { because: 'brownout', milestone, brownout };
}

/** Whether an app is exempt from a brownout of all apps from the first moment to the last. */
function isSpared({ exemptions }: Lifecycle, { endsAt }: Brownout, clientId: string | undefined): boolean {
  return clientId !== undefined && (exemptions.get(clientId) ?? 0) >= endsAt;
}

/** The running and planned brownouts of an app, and its owner's rehearsals, in the order of their start. */
export function brownoutsAhead(lifecycle: Lifecycle, { clientId, now }: AppMoment): Brownout[] {
  return lifecycle.brownouts.filter((one) => {
    // A milestone that has come for the app is not rehearsed any more.
    const comesAt = dateFor(lifecycle, one.rehearses, clientId) ?? Infinity;
    if (one.endsAt <= now || comesAt <= Math.max(now, one.startsAt)) return false;
    return one.clientId === undefined ? !isSpared(lifecycle, one, clientId) : one.clientId === clientId;
  });
}

/** The part of an ending that a caller can see: that a date has come, or which brownout runs. */
function nameOf(ending: LifecycleEnding | undefined): string | undefined {
  return ending?.because === 'brownout' ? ending.brownout.id : ending?.because;
}

/**
 * Whether any app gets a different answer at this moment than a call without a known app. An extension that ran out
 * makes no difference: once it is over, the app with the extension gets the answer of all apps too.
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
