import fc from 'fast-check';
import type { Lifecycle } from '../../../src/domain/lifecycle.ts';
import type { HolderPart, OwnerPart, Part, Person, Stage } from '../../../src/domain/reminders/people.ts';
import { isTimeToMail, keyOfStage, localDay, stagesDue } from '../../../src/domain/reminders/plan-stages.ts';
import { momentThere, onFor, type World } from './plan-oracle.ts';

/**
 * A year of one person's life with the reminders: tokens are used, die, are connected again or ended, dates move, bridges
 * stand still, clocks run late, two bridges plan at once and mails leave late. The ledger is a plain list here; what the
 * plan says is compared at every step with what the rules say by another way of reckoning.
 */

const DAY = 86_400_000;
const HOUR = DAY / 24;
const START = Date.parse('2027-01-01T00:00:00Z');

const ZONES = [
  'UTC',
  'Europe/Berlin',
  'America/New_York',
  'Australia/Lord_Howe',
  'America/St_Johns',
  'Pacific/Kiritimati',
  'Pacific/Pago_Pago',
  'Pacific/Chatham',
  'Nowhere/At_All',
];
const DAYS = [180, 90, 60, 30, 14, 7, 3, 1, 0];
const APPS = ['a', 'b'];
const time = (days = 365) => fc.integer({ min: 0, max: days * DAY - 1 });

const happenings = fc.array(
  fc.record({
    at: time(),
    what: fc.constantFrom('use', 'use', 'use', 'use', 'act', 'die', 'die', 'wait', 'revoke'),
    part: fc.nat(3),
  }),
  { maxLength: 40 },
);

const dateMoves = fc.array(
  fc.record({
    at: time(),
    name: fc.constantFrom('retirement' as const, 'sunset' as const),
    app: fc.constantFrom(undefined, undefined, ...APPS),
    // A date that is taken back is a date of nobody.
    to: fc.option(time(420), { nil: undefined, freq: 8 }),
  }),
  { maxLength: 5 },
);

/** What a year depends on; `every` so many days the bridges look, at one of these numbers. */
export const years = (every: readonly number[]) =>
  fc.record({
    zone: fc.constantFrom(...ZONES),
    days: fc.subarray(DAYS, { minLength: 1 }),
    retirement: fc.option(fc.integer({ min: -10 * DAY, max: 380 * DAY }), { nil: undefined, freq: 8 }),
    sunset: fc.option(fc.integer({ min: -10 * DAY, max: 400 * DAY }), { nil: undefined, freq: 2 }),
    parts: fc.array(
      fc.record({ isOwner: fc.boolean(), app: fc.constantFrom(...APPS), waits: fc.boolean() }),
      {
        minLength: 1,
        maxLength: 3,
      },
    ),
    happenings,
    dateMoves,
    /** When bridges look, in the day; every so many days. */
    ticks: fc.array(fc.integer({ min: 0, max: DAY - 1 }), { minLength: 1, maxLength: 2 }),
    every: fc.constantFrom(...every),
    downtimes: fc.array(fc.record({ from: fc.nat(364), days: fc.nat(20) }), { maxLength: 4 }),
    /** How late the clocks of some looks are, and how late some mails leave. */
    lates: fc.array(fc.constantFrom(0, 0, 0, 0, HOUR, 26 * HOUR), { minLength: 1, maxLength: 5 }),
    delays: fc.array(fc.constantFrom(0, 0, 0, HOUR, 20 * HOUR, 70 * HOUR), { minLength: 1, maxLength: 5 }),
  });

type Year = ReturnType<typeof years> extends fc.Arbitrary<infer Value> ? Value : never;

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

function partOf({ isOwner, app, waits }: Year['parts'][number]): HolderPart | OwnerPart {
  const about = { clientId: app, appName: app, lastUsedAt: undefined };
  const counts = { waiting: waits ? 2 : 0, active: waits ? 0 : 2 };
  return isOwner
    ? { role: 'owner', ...about, tokens: counts, accounts: counts, waitingUsedAt: undefined }
    : { role: 'holder', ...about, waiting: counts.waiting, wokenAt: undefined, diedAt: undefined };
}

function happenToHolder(part: HolderPart, what: string, now: number, wasToldUnused: boolean): HolderPart {
  if (what === 'die') return part.waiting > 0 ? part : { ...part, waiting: 1, diedAt: now };
  if (what === 'wait') return { ...part, waiting: part.waiting + 1 };
  if (what !== 'use') return { ...part, waiting: 0, diedAt: undefined, wokenAt: undefined };
  const { lastUsedAt } = part;
  const isWoken = lastUsedAt === undefined ? wasToldUnused : now - lastUsedAt >= 30 * DAY;
  return { ...part, lastUsedAt: now, wokenAt: isWoken && part.waiting > 0 ? now : part.wokenAt };
}

function happenToOwner(part: OwnerPart, what: string, now: number): OwnerPart {
  const { waiting, active } = part.tokens;
  const counted = (tokens: { waiting: number; active: number }) => ({ ...part, tokens, accounts: tokens });
  if (what === 'revoke')
    return { ...counted({ waiting: 0, active: 0 }), lastUsedAt: undefined, waitingUsedAt: undefined };
  if (what === 'act')
    return { ...counted({ waiting: 0, active: waiting + active }), waitingUsedAt: undefined };
  if (what === 'die')
    return { ...counted({ waiting: waiting + active, active: 0 }), waitingUsedAt: part.lastUsedAt };
  if (what === 'wait') return counted({ waiting: waiting + 1, active });
  if (waiting + active === 0) return part;
  return { ...part, lastUsedAt: now, waitingUsedAt: waiting > 0 ? now : part.waitingUsedAt };
}

/** One year, step by step; throws where the plan and the rules differ, and answers what was told. */
export function liveThrough(year: Year): { told: string[]; mails: number } {
  const parts: Part[] = [];
  for (const given of year.parts) {
    const part = partOf(given);
    if (!parts.some(({ role, clientId }) => role === part.role && clientId === part.clientId))
      parts.push(part);
  }
  const zone = year.zone === 'Nowhere/At_All' ? 'UTC' : year.zone;
  const later = new Map<string, { retirement?: number; sunset?: number }>();
  const at = (offset: number | undefined) => (offset === undefined ? undefined : START + offset);
  const world: World = {
    zone,
    days: year.days,
    retirement: at(year.retirement),
    sunset: at(year.sunset),
    later,
  };
  const ledger = new Set<string>();
  const everSent: string[] = [];
  const mails: Mail[] = [];
  const personNow = (): Person => {
    const names = {
      id: 'account:p',
      aliases: ['account:p'],
      accountId: 'p',
      name: 'P',
      address: 'p@example.org',
    };
    return { ...names, zone: year.zone, parts: [...parts] };
  };
  const lifecycleNow = (): Lifecycle => {
    const { retirement, sunset } = world;
    const dates = {
      ...(retirement !== undefined && { retirement }),
      ...(sunset !== undefined && { sunset }),
    };
    return { dates, extensions: later, exemptions: new Map(), brownouts: [] };
  };
  const planOf = (told: ReadonlySet<string>, now: number) => {
    const keys = new Set([...told].map(keyOfWords));
    const person = personNow();
    const due = stagesDue(person, keys, { lifecycle: lifecycleNow(), days: year.days, now });
    return { person, due, words: due.map(wordsOf) };
  };
  const ruled = (told: ReadonlySet<string>, now: number) =>
    parts.flatMap((part) => onFor(part, world, told, now));
  const same = (one: readonly string[], other: readonly string[], where: string) => {
    if (one.toSorted().join('\n') !== other.toSorted().join('\n'))
      throw new Error(`${where}: planned ${JSON.stringify(one)}, ruled ${JSON.stringify(other)}`);
  };
  const isHappeningOf = (words: string, day: string) => {
    const [, , stage = '', when = ''] = words.split(' ');
    return ['died', 'woken'].includes(stage) && momentThere(Number(when), zone).day === day;
  };

  /** Two bridges have read the same before either writes; the keys of the ledger let one of them win. */
  const look = (now: number, delay: number, real: number) => {
    const plan = planOf(ledger, now);
    const due = ruled(ledger, now);
    same(plan.words, due, `at ${new Date(now).toISOString()}`);
    const { day, isAfterNine } = momentThere(now, zone);
    if (day !== localDay(now, year.zone)) throw new Error(`the day is ${day} there`);
    const isHeld = mails.some(
      ({ state, ...mail }) => state === 'due' || (state === 'sent' && mail.day === day),
    );
    const isTime = isAfterNine || due.some((words) => isHappeningOf(words, day));
    let made = 0;
    for (const _bridge of ['one', 'two']) {
      if (isHeld || plan.due.length === 0 || !isTimeToMail(plan.person, plan.due, { now })) continue;
      if (mails.some((mail) => mail.state !== 'dropped' && mail.day === day)) continue;
      const rows = plan.words.filter((words) => !ledger.has(words));
      if (rows.length === 0) continue;
      for (const words of rows) ledger.add(words);
      mails.push({ day, rows, leavesAt: real + delay, state: 'due' });
      made += 1;
    }
    const expected = due.length > 0 && !isHeld && isTime ? 1 : 0;
    if (made !== expected) throw new Error(`${made} mails at ${new Date(now).toISOString()}`);
  };

  /** At the moment of sending it is looked at again; what leaves is on by the rules, what is dropped is not. */
  const send = (mail: Mail, now: number) => {
    const others = new Set([...ledger].filter((words) => !mail.rows.includes(words)));
    const { words } = planOf(others, now);
    same(words, ruled(others, now), `sending at ${new Date(now).toISOString()}`);
    const left = mail.rows.filter((row) => words.includes(row));
    for (const row of mail.rows) if (!left.includes(row)) ledger.delete(row);
    for (const row of left) {
      if (everSent.includes(row)) throw new Error(`told twice: ${row}`);
      everSent.push(row);
    }
    mail.state = left.length > 0 ? 'sent' : 'dropped';
  };

  const happen = ({ what, part: index }: Year['happenings'][number], now: number) => {
    const number = index % parts.length;
    const part = parts[number];
    if (part === undefined) return;
    parts[number] =
      part.role === 'owner'
        ? happenToOwner(part, what, now)
        : happenToHolder(part, what, now, ledger.has(`${part.clientId} holder unused `));
  };

  const move = ({ name, app, to }: Year['dateMoves'][number]) => {
    if (app === undefined) world[name] = at(to);
    else later.set(app, { ...later.get(app), ...(to !== undefined && { [name]: START + to }) });
  };

  const steps: Array<{ at: number; run: () => void }> = [];
  for (const one of year.happenings) steps.push({ at: one.at, run: () => happen(one, START + one.at) });
  for (const one of year.dateMoves) steps.push({ at: one.at, run: () => move(one) });
  const isDown = (day: number) => year.downtimes.some(({ from, days }) => day >= from && day < from + days);
  let count = 0;
  for (let day = 0; day < 365; day += year.every)
    for (const tick of isDown(day) ? [] : year.ticks) {
      const number = (count += 1);
      const late = year.lates[number % year.lates.length] ?? 0;
      const delay = year.delays[number % year.delays.length] ?? 0;
      const real = START + day * DAY + tick;
      const run = () => {
        for (const mail of mails) if (mail.state === 'due' && mail.leavesAt <= real) send(mail, real);
        look(real - late, delay, real);
        for (const mail of mails) if (mail.state === 'due' && mail.leavesAt <= real) send(mail, real);
      };
      steps.push({ at: day * DAY + tick, run });
    }
  for (const { run } of steps.toSorted((a, b) => a.at - b.at)) run();
  return { told: everSent, mails: mails.filter(({ state }) => state === 'sent').length };
}
