import { LRUCache } from 'lru-cache';
import { DAY } from '../../shared/lifetimes.ts';
import { dayOf } from '../../shared/moments.ts';
import { MILESTONES } from '../../store/tables/lifecycle.ts';
import { type AppDate, dateFor, datesOf, type Lifecycle, type Milestone } from '../lifecycle/lifecycle.ts';
import type { DateChanges } from '../lifecycle/read-lifecycle.ts';
import { dayNumber, isMorning, localDay, morningNumber } from './local-days.ts';
import type { DueStage, HolderPart, OwnerPart, AppPart, ReminderPerson, Stage } from './people.ts';

/**
 * Plans the reminders: the stages that are due for a person at a moment, as a pure function of the dates, the person's
 * tokens and the ledger. Days are days of the person's own calendar, never spans of 24 hours.
 */

/** Tokens and apps that were not used for longer than this get one reminder, not all stages. */
export const USED_WITHIN = 30 * DAY;

/**
 * In days. While the use is unknown, stages further ahead of a date than this are left out: the use becomes known
 * before the date.
 */
const KNOWN_AFTER = USED_WITHIN / DAY;

/** A missed stage is not made up for when its date has applied for longer than this. */
export const LATE = 7 * DAY;

const isLately = (at: number | undefined, now: number) => at !== undefined && at >= now - LATE;

/**
 * The day (`YYYY-MM-DD`, UTC) of the earliest date for which reminders are still made. Where a date was set lately, or came back by
 * the end of an extension, it may be long past and apply only now.
 */
export function firstDayToTell({ lifecycle: { dates }, changes: { ofAll, ofApp }, now }: PlanInput): string {
  const applyLately = MILESTONES.filter(
    (name) => isLately(ofAll[name], now) || [...ofApp.values()].some((ends) => isLately(ends[name], now)),
  );
  return dayOf(Math.min(now - LATE, ...applyLately.map((name) => dates[name] ?? now)));
}

/** The inputs of a plan beside the person and the ledger. */
export interface PlanInput {
  lifecycle: Lifecycle;
  /** The changes of dates of the last seven days (`LATE`) at least. */
  changes: DateChanges;
  /** How many days before a date people are told. */
  days: readonly number[];
  now: number;
  /** In a preview of a later day: the earlier moment at which use is judged. */
  usesKnownUntil?: number | undefined;
  /** In a preview of a day by which the mails that are on their way now have ended. */
  haveMailsEnded?: boolean;
  /** Whether all calls of the last 30 days are counted. Otherwise the want of a use proves nothing. */
  isCounted: boolean;
}

/** The key of a stage in the ledger. */
export function keyOfStage({ clientId, role, stage, plannedFor }: Stage): string {
  return `${clientId}\n${role}\n${stage}\n${plannedFor}`;
}

/** Whether a mail about these stages may be sent now: it is nine in the morning or later, or a stage is urgent. */
export function isTimeToMail(
  { zone }: ReminderPerson,
  due: readonly DueStage[],
  { now }: { now: number },
): boolean {
  return isMorning(now, zone) || due.some(({ isUrgent }) => isUrgent);
}

const isRecent = (usedAt: number | undefined, now: number) =>
  usedAt !== undefined && now - usedAt <= USED_WITHIN;

/**
 * `unknown`: no recent use is known, and the tokens have not been known, or calls have not been counted, for long enough
 * to call the tokens unused.
 */
type Use = 'used' | 'unused' | 'unknown';

/** A date that a part is reminded of, and the use of the tokens or calls that end on the date. */
interface Countdown {
  milestone: Milestone;
  at: number;
  /** The last moment at which people are told of the date. */
  toldUntil: number;
  use: Use;
}

/**
 * A date that was set, or came back by the end of an extension, when it was past already has applied only since then.
 */
function countdownTo({ milestone, at }: AppDate, clientId: string, { changes }: PlanInput) {
  const changedAt = Math.max(changes.ofAll[milestone] ?? 0, changes.ofApp.get(clientId)?.[milestone] ?? 0);
  return { milestone, at, toldUntil: Math.max(at, changedAt) + LATE };
}

type UseInput = Pick<PlanInput, 'now' | 'usesKnownUntil' | 'isCounted'>;

/** The moment at which use is judged. */
const judgedAt = ({ now, usesKnownUntil = now }: UseInput): number => usesKnownUntil;

function useOf({ lastUsedAt, knownSince }: AppPart, plan: UseInput): Use {
  const at = judgedAt(plan);
  if (isRecent(lastUsedAt, at)) return 'used';
  if (!plan.isCounted) return 'unknown';
  return knownSince !== undefined && at - knownSince < USED_WITHIN ? 'unknown' : 'unused';
}

/** A holder is told of the next date, and of a date that has just come. */
function holdersDates(part: HolderPart, plan: PlanInput): Countdown[] {
  const { lifecycle, now } = plan;
  const { clientId, waiting } = part;
  if (waiting === 0) return [];
  const dates = datesOf(lifecycle, { clientId, now });
  const next = dates.find(({ at }) => at > now);
  const told = dates.filter((date) => date === next || date.at <= now);
  return told.map((date) => ({ ...countdownTo(date, clientId, plan), use: useOf(part, plan) }));
}

/**
 * The use of what the retirement ends: waiting tokens, and calls that only the old API answers, of connected tokens
 * too. Unused waiting tokens do not make an app unused while its other tokens are used: the result is undefined then,
 * as without any waiting token.
 */
function retiredUse(part: OwnerPart, plan: UseInput): Use | undefined {
  const at = judgedAt(plan);
  const { tokens, waitingUsedAt, passedAt } = part;
  if ((tokens.waiting > 0 && isRecent(waitingUsedAt, at)) || isRecent(passedAt, at)) return 'used';
  const use = useOf(part, plan);
  return tokens.waiting === 0 || use === 'used' ? undefined : use;
}

function ownersDates(part: OwnerPart, plan: PlanInput): Countdown[] {
  const { lifecycle, now } = plan;
  const { clientId, tokens, lastUsedAt } = part;
  if (tokens.waiting + tokens.active === 0) return [];
  if (tokens.waiting === 0 && lastUsedAt === undefined) return [];
  return datesOf(lifecycle, { clientId, now }).flatMap((date) => {
    const use = date.milestone === 'retirement' ? retiredUse(part, plan) : useOf(part, plan);
    return use === undefined ? [] : [{ ...countdownTo(date, clientId, plan), use }];
  });
}

const countdownsOf = (part: AppPart, plan: PlanInput): Countdown[] =>
  part.role === 'holder' ? holdersDates(part, plan) : ownersDates(part, plan);

/** A person at one moment, with the stages in the ledger. */
interface PersonMoment {
  zone: string;
  /** The latest day whose nine o'clock has come. */
  morning: number;
  told: ReadonlySet<string>;
  /** By `keyOfDate`: the stage nearest to the date of which the person was told, in days before the date. */
  latestTold: () => ReadonlyMap<string, number>;
}

/** A person at one moment, with one part. */
interface Case {
  person: PersonMoment;
  part: AppPart;
}

/** The key of the date of a stage, which all stages of the date share. */
export const keyOfDate = ({ clientId, role, plannedFor }: Omit<Stage, 'stage'>): string =>
  `${clientId}\n${role}\n${plannedFor}`;

/** The calendar stage nearest to each date in the ledger, in days before the date. */
function latestOf(told: ReadonlySet<string>): Map<string, number> {
  const latest = new Map<string, number>();
  for (const key of told) {
    const [clientId, role, stage = '', plannedFor] = key.split('\n');
    const date = [clientId, role, plannedFor].join('\n');
    const days = Number(stage);
    if (Number.isInteger(days)) latest.set(date, Math.min(days, latest.get(date) ?? days));
  }
  return latest;
}

/**
 * The latest stage of a date that has come, in days before the date. Undefined before the first stage, and when the
 * date has applied for longer than `LATE`. While the use is unknown, early stages are left out, but no date passes without a
 * reminder.
 */
function latestStage(
  { at, toldUntil, use }: Countdown,
  { zone, morning }: PersonMoment,
  { days, now }: PlanInput,
): number | undefined {
  if (now > toldUntil) return undefined;
  const left = dayNumber(at, zone) - morning;
  if (use === 'unknown' && left > KNOWN_AFTER) return undefined;
  const come = days.filter((day) => day >= left);
  return come.length === 0 ? undefined : Math.min(...come);
}

/** Whether the person was told of this stage or a later stage of a date. */
function isTold({ told, latestTold }: PersonMoment, stage: Stage): boolean {
  if (told.size === 0) return false;
  if (told.has(keyOfStage(stage))) return true;
  return (latestTold().get(keyOfDate(stage)) ?? Infinity) < Number(stage.stage);
}

/** The days of dates, which are few, in UTC. */
const dayNames = new LRUCache<number, string>({ max: 1000, memoMethod: dayOf });

function calendarDue({ person, part }: Case, date: Countdown, plan: PlanInput): DueStage | undefined {
  const stage = latestStage(date, person, plan);
  if (stage === undefined) return undefined;
  const { milestone, at, use } = date;
  const { clientId, role } = part;
  const [name, day] = [milestone === 'retirement' ? 'the retirement' : 'the sunset', dayNames.memo(at)];
  const isUnused = use === 'unused';
  const due: DueStage = {
    clientId,
    role,
    stage: isUnused ? 'unused' : String(stage),
    plannedFor: isUnused ? '' : `${milestone}:${day}`,
    part,
    milestone,
    at,
    isUrgent: false,
    because: isUnused
      ? `not used in the last 30 days, and ${name} is planned for ${day}`
      : `stage ${stage} of ${name} on ${day}`,
  };
  return !isUnused && isTold(person, due) ? undefined : due;
}

/** Events of a holder's tokens. The holder is told at once and without a date, as long as a connection would help. */
function happenedDue({ person, part }: Case, { lifecycle, now }: PlanInput): DueStage[] {
  if (part.role === 'owner' || part.waiting === 0 || !isRecent(part.lastUsedAt, now)) return [];
  const { clientId, role, diedAt, wokenAt } = part;
  if (diedAt === undefined && wokenAt === undefined) return [];
  if ((dateFor(lifecycle, 'sunset', clientId) ?? Infinity) <= now) return [];
  const happened = [
    { stage: 'died', at: diedAt, because: 'its connection ended' },
    { stage: 'woken', at: wokenAt, because: 'used again after a long silence' },
  ];
  return happened.flatMap(({ stage, at, because }) => {
    if (at === undefined || (stage === 'woken' && !isRecent(at, now))) return [];
    const isUrgent = localDay(at, person.zone) === localDay(now, person.zone);
    const about = { part, milestone: undefined, at: undefined, isUrgent };
    const plannedFor = String(at);
    return [{ clientId, role, stage, plannedFor, ...about, because: `${because} on ${dayOf(at)}` }];
  });
}

/** Leaves out the stages of which the person was told, and those that come twice. */
function freshAmong(due: readonly DueStage[], { told }: PersonMoment): DueStage[] {
  const fresh = new Map<string, DueStage>();
  for (const stage of due) {
    const key = keyOfStage(stage);
    if (!told.has(key) && !fresh.has(key)) fresh.set(key, stage);
  }
  return [...fresh.values()];
}

function dueOf(one: Case, plan: PlanInput): readonly DueStage[] {
  const due = happenedDue(one, plan);
  for (const date of countdownsOf(one.part, plan)) {
    const stage = calendarDue(one, date, plan);
    if (stage) due.push(stage);
  }
  if (due.length < 2 && one.person.told.size === 0) return due;
  return freshAmong(due, one.person);
}

/**
 * The stages that have come and of which the person was not told, app by app. `told` holds the keys (`keyOfStage`) of
 * the stages that the ledger has for the person under any name.
 */
export function stagesDue(person: ReminderPerson, told: ReadonlySet<string>, at: PlanInput): DueStage[] {
  const { zone, parts } = person;
  let latest: Map<string, number> | undefined;
  const latestTold = () => (latest ??= latestOf(told));
  const moment = { zone, morning: morningNumber(at.now, zone), told, latestTold };
  return parts.flatMap((part) => dueOf({ person: moment, part }, at));
}
