import type { Lifecycle } from '../../../src/domain/lifecycle/lifecycle.ts';
import type { DateChanges } from '../../../src/domain/lifecycle/read-lifecycle.ts';
import type { HolderPart, OwnerPart, AppPart, Stage } from '../../../src/domain/reminders/people.ts';
import { localDay } from '../../../src/domain/reminders/local-days.ts';
import { isTimeToMail, keyOfStage, stagesDue } from '../../../src/domain/reminders/plan-stages.ts';
import { dateIn, momentThere, onFor, type World } from './plan-oracle.ts';
import type { Year } from './plan-year.ts';

/**
 * A year of one person's life with the reminders: tokens are used, die, are connected again or ended, dates move, bridges
 * stand still, clocks run late, two bridges plan at once and mails leave late. The ledger is a plain list here; what the
 * plan says is compared at every step with what the rules say by another way of reckoning.
 */

const DAY = 86_400_000;
const START = Date.parse('2027-01-01T00:00:00Z');

interface Mail {
  day: string;
  rows: string[];
  leavesAt: number;
  state: 'due' | 'sent' | 'dropped';
}

const wordsOf = ({ clientId, role, stage, plannedFor }: Stage) =>
  `${clientId} ${role} ${stage} ${plannedFor}`;
const keyOfWords = (words: string) => {
  const [clientId = '', role = '', stage = '', plannedFor = ''] = words.split(' ');
  return keyOfStage({ clientId, role: role as 'owner', stage, plannedFor });
};

function partOf({ isOwner, app, waits, knownFor }: Year['parts'][number]): HolderPart | OwnerPart {
  const knownSince = waits ? START - knownFor * DAY : undefined;
  const about = { clientId: app, appName: app, lastUsedAt: undefined, knownSince };
  const counts = { waiting: waits ? 2 : 0, active: waits ? 0 : 2 };
  return isOwner
    ? {
        role: 'owner',
        ...about,
        tokens: counts,
        accounts: counts,
        waitingUsedAt: undefined,
        passedAt: undefined,
      }
    : { role: 'holder', ...about, waiting: counts.waiting, wokenAt: undefined, diedAt: undefined };
}

function happenToHolder(part: HolderPart, what: string, now: number, wasToldUnused: boolean): HolderPart {
  if (what === 'work' || what === 'pass') return part;
  if (what === 'die') return part.waiting > 0 ? part : { ...part, waiting: 1, diedAt: now, knownSince: now };
  if (what === 'wait') return { ...part, waiting: part.waiting + 1, knownSince: now };
  if (what !== 'use') return { ...part, waiting: 0, knownSince: undefined };
  const { lastUsedAt } = part;
  const isWoken = lastUsedAt === undefined ? wasToldUnused : now - lastUsedAt >= 30 * DAY;
  return { ...part, lastUsedAt: now, wokenAt: isWoken && part.waiting > 0 ? now : part.wokenAt };
}

function happenToOwner(part: OwnerPart, what: string, now: number): OwnerPart {
  const { waiting, active } = part.tokens;
  const knownSince = what === 'die' || what === 'wait' ? now : undefined;
  const counted = (tokens: { waiting: number; active: number }) => ({
    ...part,
    tokens,
    accounts: tokens,
    knownSince,
  });
  if (what === 'revoke')
    return { ...counted({ waiting: 0, active: 0 }), lastUsedAt: undefined, waitingUsedAt: undefined };
  if (what === 'act')
    return { ...counted({ waiting: 0, active: waiting + active }), waitingUsedAt: undefined };
  if (what === 'die')
    return { ...counted({ waiting: waiting + active, active: 0 }), waitingUsedAt: part.lastUsedAt };
  if (what === 'wait') return counted({ waiting: waiting + 1, active });
  return useOf(part, what, now);
}

/** Of those that wait, of those that are connected alone, or of what only the old backend knows. */
function useOf(part: OwnerPart, what: string, now: number): OwnerPart {
  const { waiting, active } = part.tokens;
  if (what !== 'use' && active === 0) return part;
  if (what === 'work') return { ...part, lastUsedAt: now };
  if (what === 'pass') return { ...part, lastUsedAt: now, passedAt: now };
  if (waiting + active === 0) return part;
  return { ...part, lastUsedAt: now, waitingUsedAt: waiting > 0 ? now : part.waitingUsedAt };
}

const momentOf = (offset: number | undefined) => (offset === undefined ? undefined : START + offset);

const when = (now: number) => new Date(now).toISOString();

function requireSame(planned: readonly string[], ruled: readonly string[], now: number): void {
  if (planned.toSorted().join('\n') !== ruled.toSorted().join('\n'))
    throw new Error(`${when(now)}: planned ${JSON.stringify(planned)}, ruled ${JSON.stringify(ruled)}`);
}

function partsOf(year: Year): AppPart[] {
  const parts = new Map<string, AppPart>();
  for (const given of year.parts) {
    const key = `${given.isOwner} ${given.app}`;
    if (!parts.has(key)) parts.set(key, partOf(given));
  }
  return [...parts.values()];
}

class Life {
  readonly told: string[] = [];
  readonly mails: Mail[] = [];
  readonly #year: Year;
  readonly #parts: AppPart[];
  readonly #world: World & {
    later: Map<string, { retirement?: number; sunset?: number }>;
    changedAt: Map<string, number>;
  };
  readonly #ledger = new Set<string>();
  /** What was told, and counts. */
  readonly #counts = new Set<string>();

  constructor(year: Year) {
    this.#year = year;
    this.#parts = partsOf(year);
    this.#world = {
      zone: year.zone === 'Nowhere/At_All' ? 'UTC' : year.zone,
      days: year.days,
      retirement: momentOf(year.retirement),
      sunset: momentOf(year.sunset),
      later: new Map(),
      changedAt: new Map(),
    };
  }

  #lifecycle(): Lifecycle {
    const { retirement, sunset, later } = this.#world;
    const dates = {
      ...(retirement !== undefined && { retirement }),
      ...(sunset !== undefined && { sunset }),
    };
    return { dates, extensions: later, exemptions: new Map(), brownouts: [] };
  }

  #changes(): DateChanges {
    const of = (before: string) => {
      const { changedAt } = this.#world;
      const names = (['retirement', 'sunset'] as const).filter((name) => changedAt.has(`${before}${name}`));
      return Object.fromEntries(names.map((name) => [name, changedAt.get(`${before}${name}`) ?? 0]));
    };
    return {
      ofAll: of(''),
      ofApp: new Map(this.#parts.map(({ clientId }) => [clientId, of(`${clientId} `)])),
    };
  }

  /** What the plan says; it has to be what the rules say. */
  #plan(told: ReadonlySet<string>, now: number) {
    const names = {
      id: 'account:p',
      aliases: ['account:p'],
      accountId: 'p',
      name: 'P',
      address: 'p@example.org',
    };
    const person = { ...names, zone: this.#year.zone, parts: [...this.#parts] };
    const changes = this.#changes();
    const at = { lifecycle: this.#lifecycle(), changes, days: this.#year.days, now, isCounted: true };
    const due = stagesDue(person, new Set([...told].map(keyOfWords)), at);
    const words = due.map(wordsOf);
    requireSame(
      words,
      this.#parts.flatMap((part) => onFor(part, this.#world, told, now)),
      now,
    );
    return { words, isTime: isTimeToMail(person, due, { now }) };
  }

  /** Whether a mail has to be made by the rules. */
  #isDue(words: readonly string[], now: number): boolean {
    const { day, isAfterNine } = momentThere(now, this.#world.zone);
    if (day !== localDay(now, this.#year.zone)) throw new Error(`the day is ${day} there`);
    const isOfToday = (stage: string) => {
      const [, , name = '', at = ''] = stage.split(' ');
      return ['died', 'woken'].includes(name) && momentThere(Number(at), this.#world.zone).day === day;
    };
    return words.length > 0 && !this.#isHeld(day) && (isAfterNine || words.some(isOfToday));
  }

  #isHeld(day: string): boolean {
    return this.mails.some((mail) => mail.state === 'due' || (mail.state === 'sent' && mail.day === day));
  }

  /** The keys of the ledger: one mail a day, each reminder once. */
  #keep(mail: Omit<Mail, 'state'>): boolean {
    if (this.mails.some(({ state, day }) => state !== 'dropped' && day === mail.day)) return false;
    const rows = mail.rows.filter((words) => !this.#ledger.has(words));
    if (rows.length === 0) return false;
    for (const words of rows) this.#ledger.add(words);
    this.mails.push({ ...mail, rows, state: 'due' });
    return true;
  }

  /** Two bridges have read the same before either writes. */
  look(now: number, leavesAt: number): void {
    const { words, isTime } = this.#plan(this.#ledger, now);
    const expected = this.#isDue(words, now);
    const day = localDay(now, this.#year.zone);
    const isPlanned = words.length > 0 && isTime && !this.#isHeld(day);
    const made = ['one', 'two'].filter(() => isPlanned && this.#keep({ day, rows: words, leavesAt }));
    if (made.length !== Number(expected)) throw new Error(`${when(now)}: ${made.length} mails`);
  }

  /** Of a date the day counts that was told last: what was told of another day before may be told again. */
  #tell(row: string): void {
    if (this.#counts.has(row)) throw new Error(`told twice: ${row}`);
    const [date, day] = dateIn(row);
    for (const one of day === undefined ? [] : this.#counts) {
      const [ofDate, ofDay] = dateIn(one);
      if (ofDate === date && ofDay !== day) for (const kept of [this.#counts, this.#ledger]) kept.delete(one);
    }
    this.#counts.add(row);
    this.told.push(row);
  }

  /** At the moment of sending each mail is looked at again: what is not on any more stays behind. */
  send(now: number): void {
    for (const mail of this.mails) {
      if (mail.state !== 'due' || mail.leavesAt > now) continue;
      const others = new Set([...this.#ledger].filter((words) => !mail.rows.includes(words)));
      const { words } = this.#plan(others, now);
      const left = mail.rows.filter((row) => words.includes(row));
      for (const row of mail.rows) if (!left.includes(row)) this.#ledger.delete(row);
      for (const row of left) this.#tell(row);
      mail.state = left.length > 0 ? 'sent' : 'dropped';
    }
  }

  happen({ at, what, part: index }: Year['happenings'][number]): void {
    const [number, now] = [index % this.#parts.length, START + at];
    const part = this.#parts[number];
    if (part?.role === 'owner') this.#parts[number] = happenToOwner(part, what, now);
    if (part?.role !== 'holder') return;
    const wasToldUnused = this.#ledger.has(`${part.clientId} holder unused `);
    this.#parts[number] = happenToHolder(part, what, now, wasToldUnused);
  }

  /** More time for an app ends where it is given none, or another. */
  move({ at: offset, name, app, to }: Year['dateMoves'][number]): void {
    const { later, changedAt } = this.#world;
    const at = momentOf(to);
    if (app === undefined) {
      this.#world[name] = at;
      changedAt.set(name, START + offset);
      return;
    }
    const { [name]: before, ...others } = later.get(app) ?? {};
    if (before !== undefined) changedAt.set(`${app} ${name}`, START + offset);
    later.set(app, at === undefined ? others : { ...others, [name]: at });
  }
}

/** What is used again and again, of a part by its number. */
function usesOf({ parts }: Year): Year['happenings'] {
  return parts.flatMap(({ usedEvery }, part) => {
    const count = usedEvery === undefined ? 0 : Math.ceil(365 / usedEvery);
    const days = Array.from({ length: count }, (_, number) => number * (usedEvery ?? 0));
    return days.map((day) => ({ at: day * DAY + DAY / 3, what: 'use' as const, part }));
  });
}

/** The looks of the bridges, on the days on which they run. */
function looksOf({ ticks, every, downtimes, lates, delays }: Year) {
  const isDown = (day: number) => downtimes.some(({ from, days }) => day >= from && day < from + days);
  const days = Array.from({ length: 365 }, (_, day) => day).filter(
    (day) => day % every === 0 && !isDown(day),
  );
  const moments = days.flatMap((day) => ticks.map((tick) => day * DAY + tick));
  return moments.map((at, index) => ({
    at,
    late: lates[index % lates.length] ?? 0,
    delay: delays[index % delays.length] ?? 0,
  }));
}

/** One year, step by step; throws where the plan and the rules differ, and answers what was told. */
export function liveThrough(year: Year): { told: string[]; mails: number } {
  const life = new Life(year);
  const steps = [
    ...[...usesOf(year), ...year.happenings].map((one) => ({ at: one.at, run: () => life.happen(one) })),
    ...year.dateMoves.map((one) => ({ at: one.at, run: () => life.move(one) })),
    ...looksOf(year).map(({ at, late, delay }) => ({
      at,
      run() {
        const now = START + at;
        life.send(now);
        life.look(now - late, now + delay);
        life.send(now);
      },
    })),
  ];
  for (const { run } of steps.toSorted((one, other) => one.at - other.at)) run();
  return { told: life.told, mails: life.mails.filter(({ state }) => state === 'sent').length };
}
