import type { Milestone, PersonRole } from '../../../../src/store/tables/lifecycle.ts';
import { DAY, dayByNine, localTime, nameOfDay } from '../world/calendar.ts';
import { type HumanNow, isWaiting, type OracleState, type TokenNow } from './oracle-state.ts';

/**
 * What a person has to be told at a moment, written down a second time and in another way than in the bridge: both follow
 * the issue, neither the other.
 */

/** As the issue names them; the settings' own default is another list of the same days. */
const STAGES: readonly number[] = [0, 1, 3, 7, 14, 30, 60, 90, 180];

/** The last stage is not made up for later than this after the date came to apply. */
const LATE = 7 * DAY;

const MONTH = 30 * DAY;

export const keyOf = (app: string, role: PersonRole, stage: string, plannedFor: string): string =>
  `${app} ${role} ${stage} ${plannedFor}`;

/** Where the rules leave room, how they are read: on which day thirty days are over is not said to the hour. */
interface Reading {
  /** What was used before it is used long enough ago to be unused; in milliseconds. */
  limit: number;
  /** Whether what may have been seen as an awakening is one. */
  seesAll: boolean;
}

const READINGS: readonly Reading[] = [MONTH - DAY, MONTH + DAY].flatMap((limit) => [
  { limit, seesAll: false },
  { limit, seesAll: true },
]);

/** What a person was told, by `keyOf`. */
type Told = Pick<ReadonlySet<string>, 'has'>;

interface Question {
  state: OracleState;
  human: HumanNow;
  told: Told;
  now: number;
  reading: Reading;
  /** Called where another reading may see it differently. */
  onDoubt: () => void;
}

/** Stages by their keys, and whether they need not wait for the morning. */
export type DueKeys = Map<string, { isUrgent: boolean }>;

/** Nothing is said of the use of what was never used and came not long ago. */
type Use = 'used' | 'unused' | 'unknown';

interface Subject {
  app: string;
  role: PersonRole;
  milestone: Milestone;
  use: Use;
}

/** The latest of what is known; undefined where nothing is. */
function latest(tokens: readonly TokenNow[], timeOf: (token: TokenNow) => number | undefined) {
  let last: number | undefined;
  for (const token of tokens) {
    const at = timeOf(token);
    if (at !== undefined && (last === undefined || at > last)) last = at;
  }
  return last;
}

const lastChange = (tokens: readonly TokenNow[]) => latest(tokens, ({ changedAt }) => changedAt);

const lastUse = (tokens: readonly TokenNow[]) => latest(tokens, ({ usedAt }) => usedAt);

function isUsed(usedAt: number | undefined, { now, reading, onDoubt }: Question): boolean {
  if (usedAt === undefined) return false;
  const silence = now - usedAt;
  if (Math.abs(silence - MONTH) <= DAY) onDoubt();
  return silence <= reading.limit;
}

function useOf(usedAt: number | undefined, changedAt: number | undefined, question: Question): Use {
  if (usedAt !== undefined) return isUsed(usedAt, question) ? 'used' : 'unused';
  return isUsed(changedAt, question) ? 'unknown' : 'unused';
}

/** The stage that has come last; undefined before the first one and when it is too late for any. */
function stageAt(at: number, question: Question, { app, milestone, use }: Subject): number | undefined {
  const { now, state } = question;
  const { zone } = question.human;
  if (now > Math.max(at, state.changedAt(milestone, app) ?? at) + LATE) return undefined;
  const daysLeft = localTime(at, zone).day - dayByNine(now, zone);
  if (use === 'unknown' && daysLeft * DAY > MONTH) return undefined;
  return STAGES.find((stage) => stage >= daysLeft);
}

/** The date that comes; a retirement brings nothing where the sunset comes before it or has come. */
function dateOf({ state, now }: Question, milestone: Milestone, app: string): number | undefined {
  const at = state.dateFor(milestone, app);
  const sunset = state.dateFor('sunset', app) ?? Infinity;
  return milestone === 'retirement' && at !== undefined && sunset <= Math.max(now, at) ? undefined : at;
}

function addCalendar(due: DueKeys, question: Question, subject: Subject): void {
  const { app, role, milestone, use } = subject;
  const { told } = question;
  const at = dateOf(question, milestone, app);
  const stage = at === undefined ? undefined : stageAt(at, question, subject);
  if (at === undefined || stage === undefined) return;
  if (use === 'unused') {
    const notice = keyOf(app, role, 'unused', '');
    if (!told.has(notice)) due.set(notice, { isUrgent: false });
    return;
  }
  const plannedFor = `${milestone}:${nameOfDay(Math.floor(at / DAY))}`;
  // who was told of a later stage of the same day is not told of an earlier one
  const own = keyOf(app, role, String(stage), plannedFor);
  if (told.has(own)) return;
  const isTold = STAGES.some((each) => each < stage && told.has(keyOf(app, role, String(each), plannedFor)));
  if (!isTold) due.set(own, { isUrgent: false });
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

/** The newest awakening counts; a reading that does not see it sees none. */
function awakening(tokens: readonly TokenNow[], question: Question): number | undefined {
  const at = latest(tokens, ({ woken }) => woken?.at);
  if (at === undefined || !isUsed(at, question)) return undefined;
  const isSure = tokens.some(({ woken }) => woken?.at === at && woken.isSure);
  if (!isSure) question.onDoubt();
  return isSure || question.reading.seesAll ? at : undefined;
}

function addHolder(due: DueKeys, question: Question, app: string): void {
  const { human, now } = question;
  const tokens = (human.holds.get(app) ?? []).filter(isWaiting);
  if (tokens.length === 0) return;
  const usedAt = lastUse(tokens);
  // after the sunset no connection mends anything
  const isMendable = now < (question.state.dateFor('sunset', app) ?? Infinity);
  if (isMendable && isUsed(usedAt, question)) {
    const diedAt = latest(tokens, (token) => token.diedAt);
    addHappening(due, question, { app, stage: 'died', at: diedAt });
    addHappening(due, question, { app, stage: 'woken', at: awakening(tokens, question) });
  }
  const retirement = dateOf(question, 'retirement', app);
  const subject = { app, role: 'holder' as const, use: useOf(usedAt, lastChange(tokens), question) };
  addCalendar(due, question, { ...subject, milestone: 'retirement' });
  if (retirement === undefined || retirement <= now)
    addCalendar(due, question, { ...subject, milestone: 'sunset' });
}

/** Where other tokens are used, those that wait unused make no app unused. */
function addOwner(due: DueKeys, question: Question, app: string): void {
  const tokens = question.state.tokensOf(app).filter(({ state }) => state !== 'ended');
  const waiting = tokens.filter(isWaiting);
  const usedAt = lastUse(tokens);
  // an app of which nothing waits and nothing was ever used is nobody's concern
  if (waiting.length === 0 && usedAt === undefined) return;
  const use = useOf(usedAt, lastChange(waiting), question);
  const isRetiredUsed = isUsed(lastUse(waiting), question);
  const subject = { app, role: 'owner' as const };
  if (isRetiredUsed || (waiting.length > 0 && use !== 'used'))
    addCalendar(due, question, { ...subject, milestone: 'retirement', use });
  addCalendar(due, question, { ...subject, milestone: 'sunset', use });
}

/** What is due for a person and was not told, by one reading of the rules. */
function dueFor(question: Question): DueKeys {
  const due: DueKeys = new Map();
  const { human } = question;
  for (const app of human.holds.keys()) addHolder(due, question, app);
  for (const app of human.owned) addOwner(due, question, app);
  return due;
}

/** What has to be told by every reading, and what by some. */
export interface Duty {
  must: DueKeys;
  may: DueKeys;
}

/** By all readings together. */
export function dutyOf(question: Omit<Question, 'reading' | 'onDoubt'>): Duty {
  let isDoubtful = false;
  const onDoubt = () => void (isDoubtful = true);
  const read = (reading: Reading) => dueFor({ ...question, reading, onDoubt });
  const [usual, ...others] = READINGS;
  const first = usual ? read(usual) : new Map();
  if (!isDoubtful) return { must: first, may: first };
  const rest = others.map(read);
  const must = new Map([...first].filter(([key]) => rest.every((due) => due.has(key))));
  return { must, may: new Map([first, ...rest].flatMap((due) => [...due])) };
}
