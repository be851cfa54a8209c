import { dayByNine, HOUR, isAfterNine, localTime, MINUTE, nineOf } from '../world/calendar.ts';
import { dutyOf, type DueKeys } from './oracle-due.ts';
import type { Account, Delay, Disturbances, Parts, Plan, Told } from './oracle-parts.ts';
import type { HumanNow } from './oracle-state.ts';

/** What one person got in one tick, held against what the person had to get and could get. */

/** A mail that the server put off is tried again at least so often. */
const TRIED_WITHIN = 5 * HOUR;

/** What a killed machine had taken is free again after this. */
const FREE_AFTER = 16 * MINUTE;

export interface Look {
  now: number;
  mails: readonly Told[];
  disturbances: Disturbances;
}

/** Whether any of it need not wait for the morning. */
export const isUrgent = (due: DueKeys): boolean => [...due.values()].some((one) => one.isUrgent);

const isDisturbed = ({ disturbances: { isAway, wasKilled } }: Look): boolean => isAway || wasKilled;

const isRepeated = ({ human: { id }, look: { disturbances } }: Case): boolean =>
  disturbances.repeated.has(id);

/** Everything about one person that judging needs. */
interface Case {
  parts: Parts;
  human: HumanNow;
  account: Account;
  plan: Plan | undefined;
  look: Look;
}

const hasOwnAddress = ({ parts, human: { address }, look }: Case): boolean =>
  address !== undefined && !parts.isRefused(address, look.now);

/** Whether the person, or for an owner one of the app's contacts, takes mails. */
function isReachable(one: Case, key: string): boolean {
  if (hasOwnAddress(one)) return true;
  const { parts, look } = one;
  const [app = '', role] = key.split(' ');
  const contacts = role === 'owner' ? (parts.contacts.get(app) ?? []) : [];
  return contacts.some((address) => !parts.isRefused(address, look.now));
}

function isRightAddress(one: Case, { keys, to }: Told): boolean {
  if (to === undefined || to === one.human.address) return true;
  const isContact = ([app = '', role]: string[]) =>
    role === 'owner' && one.parts.contacts.get(app)?.includes(to);
  return !hasOwnAddress(one) && keys.every((key) => isContact(key.split(' ')));
}

const describe = ({ human, look }: Case, what = ''): string =>
  `${human.id} at ${new Date(look.now).toISOString()} ${what}`;

/** Whoever hears of another day of a date may hear of the day before once more, should the date move back. */
function tell({ told }: Account, key: string): void {
  const [app, role, , plannedFor = ''] = key.split(' ');
  const [milestone, day] = plannedFor.split(':');
  if (day !== undefined)
    for (const one of told) {
      const [ofApp, ofRole, , of = ''] = one.split(' ');
      const isSame = ofApp === app && ofRole === role && of.startsWith(`${milestone}:`);
      if (isSame && of !== plannedFor) told.delete(one);
    }
  told.add(key);
}

/** What a mail says is held against what could be said. */
function judgeStage(one: Case, { to }: Told, { key, may }: { key: string; may: DueKeys }): void {
  const { parts, account } = one;
  const text = describe(one, key);
  if (account.told.has(key)) parts.complain('twice', text);
  else if (!may.has(key)) parts.complain('not due', text);
  if (to === undefined && isReachable(one, key)) parts.complain('wrongly listed', text);
  tell(account, key);
  parts.figures[to === undefined ? 'listed' : 'delivered'] += 1;
  if (account.missed.delete(key)) parts.complain('too late', text);
}

/** Nobody is woken, not by a mail that was held up either. */
const isTime = ({ human, look }: Case, due: DueKeys): boolean =>
  isAfterNine(look.now, human.zone) || isUrgent(due);

/** Mails to contacts stand in the place of one to the person. */
function judgeTimes(one: Case, may: DueKeys): void {
  const { parts, human, account, look } = one;
  if (look.mails.length === 0) return;
  const today = localTime(look.now, human.zone).day;
  const own = look.mails.filter(({ to }) => to !== undefined && to === human.address);
  if (own.length > 1 || (own.length > 0 && account.mailedOn === today))
    parts.complain('second mail', describe(one));
  if (!isTime(one, may)) parts.complain('night', describe(one));
  account.heldOn = today;
  if (own.length > 0) account.mailedOn = today;
}

function judgeMails(one: Case, may: DueKeys): void {
  judgeTimes(one, may);
  for (const told of one.look.mails) {
    if (!isRightAddress(one, told)) one.parts.complain('wrong address', describe(one, told.to));
    for (const key of told.keys) judgeStage(one, told, { key, may });
  }
}

/** What must be in the mails of this tick, if anything must. */
function requiredOf(one: Case, must: DueKeys): string[] {
  const {
    account: { delay },
    plan,
    look,
  } = one;
  if (!isTime(one, must) || isRepeated(one)) return [];
  const holds = (key: string) => must.has(key) && plan?.duty.must.has(key);
  if (delay) return look.now < delay.until ? [] : [...delay.keys].filter(holds);
  return plan?.mustMail ? [...plan.duty.must.keys()].filter(holds) : [];
}

/** What a mail on its way has certainly in it, and did not arrive. */
function keysUnderWay({ account: { delay, told }, plan }: Case): Set<string> {
  const planned = plan?.mustMail ? [...plan.duty.must.keys()] : [];
  return new Set([...(delay?.keys ?? planned)].filter((key) => !told.has(key)));
}

/** How long a mail that did not go out in this tick may take; undefined where nothing holds it up. */
function heldUpUntil({ human: { zone }, look }: Case, isNight: boolean): number | undefined {
  const { isAway, wasKilled } = look.disturbances;
  if (isAway) return look.now + TRIED_WITHIN;
  if (wasKilled) return look.now + FREE_AFTER;
  return isNight ? nineOf(dayByNine(look.now, zone) + 1, zone) : undefined;
}

const isOver = ({ look }: Case, keys: ReadonlySet<string>): boolean =>
  look.mails.length > 0 && (keys.size === 0 || !isDisturbed(look));

/** The mail that is on its way after a tick in which it was held up, or of which nobody says yet that it arrived. */
function nextDelay(one: Case, must: DueKeys): Delay | undefined {
  const { human, look, account } = one;
  if (isRepeated(one)) return undefined;
  if (!look.disturbances.unmarked.has(human.id)) return delayOfUnsent(one, must);
  return { until: Math.max(look.now + FREE_AFTER, account.delay?.until ?? 0), keys: keysUnderWay(one) };
}

function delayOfUnsent(one: Case, must: DueKeys): Delay | undefined {
  const {
    account: { delay },
    plan,
    look,
  } = one;
  if (!delay && !plan?.mayMail) return undefined;
  const keys = keysUnderWay(one);
  if (isOver(one, keys)) return undefined;
  const until = Math.max(heldUpUntil(one, !isTime(one, must)) ?? 0, delay?.until ?? 0);
  return look.now < until ? { until, keys } : undefined;
}

function judgeRequired({ parts, human, account, look }: Case, required: readonly string[]): void {
  for (const key of required) {
    const isTold = account.told.has(key);
    if (!isTold && isDisturbed(look)) continue;
    parts.figures.due.add(`${human.id} ${key}`);
    if (!isTold) account.missed.add(key);
  }
}

/** Judges one person's tick, and remembers what the next one needs. */
export function judgeHuman(parts: Parts, human: HumanNow, look: Look): void {
  const one: Case = {
    parts,
    human,
    look,
    account: parts.accountOf(human.id),
    plan: parts.plans.get(human.id),
  };
  const { account, plan } = one;
  if (!plan && look.mails.length === 0 && !account.delay && !isRepeated(one)) return;
  const { now } = look;
  const duty = plan?.at === now ? plan.duty : dutyOf({ state: parts.state, human, told: account.told, now });
  const { must, may } = duty;
  const required = requiredOf(one, must);
  // what was planned in this tick, or is on its way from an earlier one
  const wasDue = (key: string) => account.delay !== undefined || !plan || plan.duty.may.has(key);
  const could = new Map([...may].filter(([key]) => wasDue(key)));
  judgeMails(one, could);
  judgeRequired(one, required);
  account.delay = nextDelay(one, must);
  if (isRepeated(one)) account.heldOn = localTime(now, human.zone).day;
}
