import type { Milestone, Role } from '../../src/store/lifecycle-tables.ts';
import { DAY, dayByNine, localTime, nameOfDay } from './calendar.ts';
import { type HumanNow, isWaiting, type OracleState, type TokenNow } from './oracle-state.ts';

/**
 * What a person has to be told at a moment, written down a second time and in another way than in the bridge: both follow
 * the issue, neither the other.
 */

/** As the issue names them; the settings' own default is another list of the same days. */
export const STAGES: readonly number[] = [0, 1, 3, 7, 14, 30, 60, 90, 180];

/** The last stage is not made up for later than this. */
const LATE = 7 * DAY;

const MONTH = 30 * DAY;

export const keyOf = (app: string, role: Role, stage: string, plannedFor: string): string =>
  `${app} ${role} ${stage} ${plannedFor}`;

/** Where the rules leave room, how they are read: on which day thirty days are over is not said to the hour. */
export interface Reading {
  isUsed(usedAt: number | undefined, now: number): boolean;
  /** Whether what may have been seen as an awakening is one. */
  seesAll: boolean;
}

const within = (limit: number) => (usedAt: number | undefined, now: number) =>
  usedAt !== undefined && now - usedAt <= limit;

export const READINGS: readonly Reading[] = [
  { isUsed: within(MONTH - DAY), seesAll: false },
  { isUsed: within(MONTH - DAY), seesAll: true },
  { isUsed: within(MONTH + DAY), seesAll: false },
  { isUsed: within(MONTH + DAY), seesAll: true },
];

/** What a person was told, by `keyOf`. */
export type Told = Pick<ReadonlySet<string>, 'has'>;

export interface Question {
  state: OracleState;
  human: HumanNow;
  told: Told;
  now: number;
  reading: Reading;
}

/** Stages by their keys, and whether they need not wait for the morning. */
export type DueKeys = Map<string, { isUrgent: boolean }>;

interface Subject {
  app: string;
  role: Role;
  milestone: Milestone;
  usedAt: number | undefined;
}

const latest = (times: ReadonlyArray<number | undefined>): number | undefined => {
  const known = times.flatMap((at) => at ?? []);
  return known.length === 0 ? undefined : known.reduce((one, other) => Math.max(one, other));
};

const lastUse = (tokens: readonly TokenNow[]): number | undefined =>
  latest(tokens.map(({ usedAt }) => usedAt));

/** The stage that has come last; undefined before the first one and when it is too late for any. */
function stageAt(at: number, now: number, zone: string): number | undefined {
  if (now > at + LATE) return undefined;
  const daysLeft = localTime(at, zone).day - dayByNine(now, zone);
  return STAGES.find((stage) => stage >= daysLeft);
}

function addCalendar(due: DueKeys, question: Question, { app, role, milestone, usedAt }: Subject): void {
  const { state, human, told, now, reading } = question;
  const at = state.dateFor(milestone, app);
  const stage = at === undefined ? undefined : stageAt(at, now, human.zone);
  if (at === undefined || stage === undefined) return;
  if (!reading.isUsed(usedAt, now)) {
    const notice = keyOf(app, role, 'unused', '');
    if (!told.has(notice)) due.set(notice, { isUrgent: false });
    return;
  }
  const plannedFor = `${milestone}:${nameOfDay(Math.floor(at / DAY))}`;
  // who was told of a later stage of the same day is not told of an earlier one
  const isTold = STAGES.some((each) => each <= stage && told.has(keyOf(app, role, String(each), plannedFor)));
  if (!isTold) due.set(keyOf(app, role, String(stage), plannedFor), { isUrgent: false });
}

function addHappening(
  due: DueKeys,
  { told, human, now }: Question,
  { app, stage, at }: { app: string; stage: string; at: number | undefined },
): void {
  if (at === undefined) return;
  const key = keyOf(app, 'holder', stage, String(at));
  const isUrgent = localTime(at, human.zone).day === localTime(now, human.zone).day;
  if (!told.has(key)) due.set(key, { isUrgent });
}

/** Nobody is told of an awakening by a reading that overlooks the newest one. */
function awakening(tokens: readonly TokenNow[], { reading, now }: Question): number | undefined {
  const all = tokens.flatMap(({ woken }) => woken ?? []).toSorted((one, other) => other.at - one.at);
  const [newest] = all;
  if (!newest || !reading.isUsed(newest.at, now)) return undefined;
  return newest.isSure || reading.seesAll ? newest.at : undefined;
}

function addHolder(due: DueKeys, question: Question, app: string): void {
  const { human, state, now, reading } = question;
  const tokens = human.tokens.filter((token) => token.app === app && isWaiting(token));
  if (tokens.length === 0) return;
  const usedAt = lastUse(tokens);
  if (reading.isUsed(usedAt, now)) {
    const diedAt = latest(tokens.map((token) => token.diedAt));
    addHappening(due, question, { app, stage: 'died', at: diedAt });
    addHappening(due, question, { app, stage: 'woken', at: awakening(tokens, question) });
  }
  const retirement = state.dateFor('retirement', app);
  const subject = { app, role: 'holder' as const, usedAt };
  addCalendar(due, question, { ...subject, milestone: 'retirement' });
  if (retirement === undefined || retirement <= now)
    addCalendar(due, question, { ...subject, milestone: 'sunset' });
}

function addOwner(due: DueKeys, question: Question, app: string): void {
  const tokens = question.state.tokensOf(app).filter(({ state }) => state !== 'ended');
  const waiting = tokens.filter(isWaiting);
  const [usedAt, waitingUsedAt] = [lastUse(tokens), lastUse(waiting)];
  const subject = { app, role: 'owner' as const };
  if (waiting.length > 0)
    addCalendar(due, question, { ...subject, milestone: 'retirement', usedAt: waitingUsedAt });
  // an app of which nothing waits and nothing was ever used is nobody's concern
  if (tokens.length > 0 && (waiting.length > 0 || usedAt !== undefined))
    addCalendar(due, question, { ...subject, milestone: 'sunset', usedAt });
}

/** What is due for a person and was not told, by one reading of the rules. */
export function dueFor(question: Question): DueKeys {
  const due: DueKeys = new Map();
  const { human } = question;
  for (const app of new Set(human.tokens.map((token) => token.app))) addHolder(due, question, app);
  for (const app of human.owned) addOwner(due, question, app);
  return due;
}

/** What has to be told by every reading, and what by some. */
export interface Duty {
  must: DueKeys;
  may: DueKeys;
}

/** By all readings together. */
export function dutyOf(question: Omit<Question, 'reading'>): Duty {
  const all = READINGS.map((reading) => dueFor({ ...question, reading }));
  const [first] = all;
  const must = new Map([...(first ?? [])].filter(([key]) => all.every((due) => due.has(key))));
  return { must, may: new Map(all.flatMap((due) => [...due])) };
}
