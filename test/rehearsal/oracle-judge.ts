import { HOUR, localTime, MINUTE } from './calendar.ts';
import { dutyOf, type DueKeys } from './oracle-due.ts';
import type { Account, Delay, Disturbances, Parts, Plan, Told } from './oracle-parts.ts';
import type { HumanNow } from './oracle-state.ts';

/** What one person got in one tick, held against what the person had to get and could get. */

/** A mail that the server put off is tried again at least so often. */
const TRIED_WITHIN = 5 * HOUR;

/** What a killed machine had taken is free again after this. */
const FREE_AFTER = 5 * MINUTE;

export interface Look {
  now: number;
  mails: readonly Told[];
  disturbances: Disturbances;
}

/** Whether any of it need not wait for the morning. */
export const isUrgent = (due: DueKeys): boolean => [...due.values()].some((one) => one.isUrgent);

const isDisturbed = ({ disturbances: { isAway, wasKilled } }: Look): boolean => isAway || wasKilled;

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

/** What a mail says is held against what could be said. */
function judgeStage(one: Case, { to }: Told, { key, may }: { key: string; may: DueKeys }): void {
  const { parts, account } = one;
  const text = describe(one, key);
  if (account.told.has(key)) parts.complain('twice', text);
  else if (!may.has(key)) parts.complain('not due', text);
  if (to === undefined && isReachable(one, key)) parts.complain('wrongly listed', text);
  account.told.add(key);
  parts.figures[to === undefined ? 'listed' : 'delivered'] += 1;
  if (account.missed.delete(key)) parts.complain('too late', text);
}

/** Mails to contacts stand in the place of one to the person. */
function judgeTimes(one: Case): void {
  const { parts, human, account, plan, look } = one;
  if (look.mails.length === 0) return;
  const today = localTime(look.now, human.zone).day;
  const own = look.mails.filter(({ to }) => to !== undefined && to === human.address);
  if (own.length > 1 || (own.length > 0 && account.mailedOn === today))
    parts.complain('second mail', describe(one));
  if (plan?.isTime === false && !account.delay) parts.complain('night', describe(one));
  account.heldOn = today;
  if (own.length > 0) account.mailedOn = today;
}

function judgeMails(one: Case, may: DueKeys): void {
  judgeTimes(one);
  for (const told of one.look.mails) {
    if (!isRightAddress(one, told)) one.parts.complain('wrong address', describe(one, told.to));
    for (const key of told.keys) judgeStage(one, told, { key, may });
  }
}

/** What must be in the mails of this tick, if anything must. */
function requiredOf({ account: { delay }, plan, look }: Case, must: DueKeys): string[] {
  const holds = (key: string) => must.has(key) && plan?.duty.must.has(key);
  if (delay) return look.now < delay.until ? [] : [...delay.keys].filter(holds);
  return plan?.mustMail ? [...plan.duty.must.keys()].filter(holds) : [];
}

/** What a mail on its way has certainly in it, and did not arrive. */
function keysUnderWay({ account: { delay, told }, plan }: Case): Set<string> {
  const planned = plan?.mustMail ? [...plan.duty.must.keys()] : [];
  return new Set([...(delay?.keys ?? planned)].filter((key) => !told.has(key)));
}

/** The mail that is on its way after a tick in which the server was away or a machine was killed. */
function disturbedDelay(one: Case): Delay | undefined {
  const { account, plan, look } = one;
  if (!account.delay && !plan?.mayMail) return undefined;
  const keys = keysUnderWay(one);
  if (look.mails.length > 0 && keys.size === 0) return undefined;
  const until = look.now + (look.disturbances.isAway ? TRIED_WITHIN : FREE_AFTER);
  return { until: Math.max(until, account.delay?.until ?? 0), keys };
}

function nextDelay(one: Case): Delay | undefined {
  if (isDisturbed(one.look)) return disturbedDelay(one);
  const { account, look } = one;
  return look.mails.length === 0 && account.delay && look.now < account.delay.until
    ? account.delay
    : undefined;
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
  if (!plan && look.mails.length === 0 && !account.delay) return;
  const { must, may } = dutyOf({ state: parts.state, human, told: account.told, now: look.now });
  const required = requiredOf(one, must);
  // what was planned in this tick, or is on its way from an earlier one
  const could = account.delay ? may : new Map([...may].filter(([key]) => plan?.duty.may.has(key)));
  judgeMails(one, could);
  judgeRequired(one, required);
  account.delay = nextDelay(one);
}
