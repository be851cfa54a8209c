import { type Chance, chanceOf } from '../../shared/faults/chance.ts';
import { DAY, HOUR, MINUTE, nineOf } from './calendar.ts';
import { ZONES } from './make-people.ts';
import type { RehearsalOptions } from '../options.ts';
import { BEGINNING, dayAt } from './world.ts';

/** When the machines tick, when they are off, when the mail server is away, and when one of them is killed. */

interface Span {
  from: number;
  to: number;
}

interface Away extends Span {
  /** It turns connections away, or takes a mail and then says that it is full. */
  mood: 'closed' | 'full';
}

/** Where a machine is killed: so far into the work, or when a mail has come so far. */
type KillPoint =
  | { when: 'planning' | 'delivering'; after: number }
  | { when: 'recipient' | 'read' | 'kept' | 'confirmed'; mails: number };

export interface Kill {
  machine: number;
  point: KillPoint;
}

export interface Tick {
  at: number;
  /** What happens between planning and delivery: the clock goes on by so much, and people may act meanwhile. */
  pause: number;
  away: Away['mood'] | undefined;
  /** The machines were off and are started again. */
  isFirstAfterOff: boolean;
  /** Waits for the next tick in which it strikes. */
  kill: Kill | undefined;
}

export interface Schedule {
  ticks: readonly Tick[];
  /** No machine runs, so that nothing is planned, sent or answered. */
  off: readonly Span[];
}

/** Claims of a machine that was killed end meanwhile. */
const APART = 6 * MINUTE;

/** Near nine somewhere, to the millisecond before it too; else at any time. */
function momentOf(chance: Chance, day: number): number {
  if (chance.happens(0.4)) return dayAt(day) + chance.between(0, DAY - 1);
  const nine = nineOf(BEGINNING / DAY + day, chance.pick(ZONES));
  // elsewhere nine of this day may be yesterday or tomorrow
  const today = dayAt(day) + (((nine % DAY) + DAY) % DAY);
  return today + chance.pick([-1, 0, chance.between(0, 20 * MINUTE)]);
}

/** On some days many more. */
const TICKS_A_DAY = [1, 1, 1, 2];

function momentsOf(chance: Chance, days: number): number[] {
  const all: number[] = [];
  for (let day = 0; day < days; day += 1)
    for (let left = day % 45 === 44 ? 16 : chance.pick(TICKS_A_DAY); left > 0; left -= 1)
      all.push(momentOf(chance, day));
  return all.filter((at) => at >= BEGINNING).toSorted((one, other) => one - other);
}

function keepApart(moments: readonly number[]): number[] {
  const kept: number[] = [];
  for (const at of moments) if (at - (kept.at(-1) ?? -Infinity) >= APART) kept.push(at);
  return kept;
}

function spans(
  chance: Chance,
  options: { count: number; days: number; shortest: number; longest: number },
): Span[] {
  return Array.from({ length: options.count }, () => {
    const from = dayAt(0) + chance.between(0, options.days * DAY);
    return { from, to: from + chance.between(options.shortest, options.longest) };
  });
}

const isIn =
  (at: number) =>
  ({ from, to }: Span): boolean =>
    from <= at && at <= to;

const MAIL_POINTS = ['recipient', 'read', 'kept', 'kept', 'confirmed', 'confirmed'] as const;

function killFor(chance: Chance, people: number): Kill {
  const machine = chance.between(0, 1);
  if (chance.happens(0.15))
    return {
      machine,
      point: { when: chance.pick(['planning', 'delivering']), after: chance.between(1, 60) },
    };
  const mails = chance.between(1, Math.max(1, Math.min(8, Math.round(people / 100))));
  return { machine, point: { when: chance.pick(MAIL_POINTS), mails } };
}

/** One that finds nothing to strike at waits, and the last ones need days to wait for. */
const KILLS_END = 0.9;

/** As many different days as there are to be kills, and the first tick of each. */
function killsAt(
  chance: Chance,
  ticks: readonly number[],
  { kills, people, days }: RehearsalOptions,
): Map<number, Kill> {
  const firsts = new Map<number, number>();
  for (const at of ticks.filter((one) => one < dayAt(Math.ceil(days * KILLS_END))))
    if (!firsts.has(Math.floor(at / DAY))) firsts.set(Math.floor(at / DAY), at);
  const left = [...firsts.values()];
  const chosen = new Map<number, Kill>();
  while (chosen.size < kills && left.length > 0) {
    const [at] = left.splice(chance.between(0, left.length - 1), 1);
    if (at !== undefined) chosen.set(at, killFor(chance, people));
  }
  if (chosen.size < kills) throw new Error(`there are only ${chosen.size} days to kill a machine on`);
  return chosen;
}

/** The same options make the same schedule. */
export function makeSchedule(options: RehearsalOptions): Schedule {
  const chance = chanceOf(options.seed, 1);
  const { days } = options;
  const per = (each: number) => Math.max(1, Math.round(days / each));
  const off = spans(chance, { count: per(30), days, shortest: 6 * HOUR, longest: 4.5 * DAY });
  const away = spans(chance, { count: per(25), days, shortest: 1 * HOUR, longest: 14 * HOUR }).map(
    (span) => ({
      ...span,
      mood: chance.pick(['closed', 'full'] as const),
    }),
  );
  const moments = keepApart(momentsOf(chance, days)).filter((at) => !off.some(isIn(at)));
  const kills = killsAt(chance, moments, options);
  const ticks = moments.map((at, index) => ({
    at,
    isFirstAfterOff: off.some(({ to }) => to < at && to >= (moments[index - 1] ?? at)),
    pause: chance.happens(0.2) ? chance.between(1, 4 * MINUTE) : 0,
    away: away.find(isIn(at))?.mood,
    kill: kills.get(at),
  }));
  return { ticks, off };
}
