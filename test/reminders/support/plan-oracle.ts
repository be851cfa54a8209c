import { DateTime } from 'luxon';
import type { AppPart } from '../../../src/domain/reminders/people.ts';

/**
 * The rules of the reminders once more, by another way of reckoning: each stage has a first moment, in the calendar of the
 * zone, and all are tried one after the other. Slow, plain, and sharing nothing with the plan.
 */

const DAY = 86_400_000;

export interface World {
  zone: string;
  days: readonly number[];
  retirement: number | undefined;
  sunset: number | undefined;
  /** Of apps that were given more time. */
  later: ReadonlyMap<string, { retirement?: number; sunset?: number }>;
  /** When a date was last set, by its name, and when an extension last ended, by the app and the name. */
  changedAt: ReadonlyMap<string, number>;
}

/** Nine in the morning so many days before the day of a date. */
function startOf(at: number, days: number, zone: string): number {
  return DateTime.fromMillis(at, { zone }).startOf('day').minus({ days }).set({ hour: 9 }).toMillis();
}

const starts = new Map<string, Array<{ days: number; from: number }>>();

/** The stages of a date with their first moments, the earliest first. */
function stagesOf(at: number, { zone, days }: World) {
  const key = `${at} ${zone} ${days.join()}`;
  const known = starts.get(key);
  if (known !== undefined) return known;
  const ordered = days.toSorted((a, b) => b - a);
  const found = ordered.map((one) => ({ days: one, from: startOf(at, one, zone) }));
  if (starts.size > 10_000) starts.clear();
  starts.set(key, found);
  return found;
}

const isoDay = (at: number) => new Date(at).toJSON().slice(0, 10);

/** What a stage of an app depends on beside its date. */
interface Moment {
  world: World;
  app: string;
  now: number;
}

/** The stage of a date that is on, if any is. A date that was past when it came to apply is news from then on. */
function stageOn({ name, at }: Dated, { world, app, now }: Moment): number | undefined {
  const changes = [name, `${app} ${name}`].map((one) => world.changedAt.get(one) ?? -Infinity);
  if ([at, ...changes].every((since) => now - since > 7 * DAY)) return undefined;
  let on: number | undefined;
  for (const { days, from } of stagesOf(at, world)) if (from <= now) on = days;
  return on;
}

function dateOf(world: World, name: 'retirement' | 'sunset', app: string): number | undefined {
  const common = world[name];
  const later = world.later.get(app)?.[name];
  if (common === undefined) return undefined;
  return later !== undefined && later > common ? later : common;
}

/** `always` in full, `late` in full within the last month alone, `once` that it is unused. */
type How = 'always' | 'late' | 'once';

interface Dated {
  name: 'retirement' | 'sunset';
  at: number;
  how: How;
}

const within30 = (usedAt: number | undefined, now: number) =>
  usedAt !== undefined && usedAt >= now - 30 * DAY;

/** How what was used, or has tokens that were never seen to be used, is told of any date. */
function howTold({ lastUsedAt, knownSince }: AppPart, now: number): How {
  if (within30(lastUsedAt, now)) return 'always';
  const isNew = knownSince !== undefined && knownSince > now - 30 * DAY;
  return isNew ? 'late' : 'once';
}

/** A retirement is a date only while the sunset is still to come, and to come after it. */
function comingTo({ clientId }: AppPart, world: World, now: number) {
  const retirement = dateOf(world, 'retirement', clientId);
  const sunset = dateOf(world, 'sunset', clientId) ?? Infinity;
  const list: Array<{ name: Dated['name']; at: number }> = [];
  if (retirement !== undefined && retirement < sunset && now < sunset)
    list.push({ name: 'retirement', at: retirement });
  if (sunset < Infinity) list.push({ name: 'sunset', at: sunset });
  return list;
}

/** Which dates a part is to be told of, and how. */
function datesFor(part: AppPart, world: World, now: number): Dated[] {
  const how = howTold(part, now);
  const list = comingTo(part, world, now);
  if (part.role === 'holder') {
    if (part.waiting === 0) return [];
    const nextAt = Math.min(...list.map(({ at }) => at).filter((at) => at > now));
    return list.filter(({ at }) => at <= nextAt).map((date) => ({ ...date, how }));
  }
  const { waiting, active } = part.tokens;
  if (waiting + active === 0 || (waiting === 0 && part.lastUsedAt === undefined)) return [];
  const isRetired = (waiting > 0 && within30(part.waitingUsedAt, now)) || within30(part.passedAt, now);
  return list.flatMap((date): Dated[] => {
    if (date.name === 'sunset') return [{ ...date, how }];
    if (isRetired) return [{ ...date, how: 'always' }];
    return waiting === 0 || how === 'always' ? [] : [{ ...date, how }];
  });
}

/** Whether a stage of a date, or one with fewer days, was told. */
function wasTold(told: ReadonlySet<string>, before: string, stage: number, after: string): boolean {
  for (const one of told) {
    if (!one.startsWith(before) || !one.endsWith(after)) continue;
    const days = Number(one.slice(before.length, one.length - after.length));
    if (days <= stage) return true;
  }
  return false;
}

/** What happened is told of while a connection mends it: until the sunset. */
function happenedTo(part: AppPart, world: World, now: number): string[] {
  if (part.role !== 'holder' || part.waiting === 0 || !within30(part.lastUsedAt, now)) return [];
  if (now >= (dateOf(world, 'sunset', part.clientId) ?? Infinity)) return [];
  const { diedAt, wokenAt } = part;
  return [
    ...(diedAt === undefined ? [] : [`died ${diedAt}`]),
    ...(within30(wokenAt, now) ? [`woken ${wokenAt}`] : []),
  ];
}

/** The date of an app and a role that words are about, and its day: `a holder retirement`, `2027-02-01`. */
export const dateIn = (words: string) => words.replace(/^(\S+ \S+) \S+/, '$1').split(':');

/** All that is on for a part at a moment and was not told. */
export function onFor(part: AppPart, world: World, told: ReadonlySet<string>, now: number): string[] {
  const name = `${part.clientId} ${part.role}`;
  const on = new Set(happenedTo(part, world, now).map((what) => `${name} ${what}`));
  for (const date of datesFor(part, world, now)) {
    const { name: milestone, at, how } = date;
    const isEarly = how === 'late' && now < startOf(at, 30, world.zone);
    const stage = isEarly ? undefined : stageOn(date, { world, app: part.clientId, now });
    if (stage === undefined) continue;
    const after = ` ${milestone}:${isoDay(at)}`;
    if (how === 'once') on.add(`${name} unused `);
    else if (!wasTold(told, `${name} `, stage, after)) on.add(`${name} ${stage}${after}`);
  }
  return [...on].filter((one) => !told.has(one));
}

/** The day there, and whether it is nine in the morning or later. */
export function momentThere(now: number, zone: string): { day: string; isAfterNine: boolean } {
  const there = DateTime.fromMillis(now, { zone }).toISO() ?? '';
  return { day: there.slice(0, 10), isAfterNine: there.slice(11, 13) >= '09' };
}
