import { isAfterNine, localTime } from '../world/calendar.ts';
import { type DueKeys, dutyOf } from './oracle-due.ts';
import { isUrgent, judgeHuman } from './oracle-judge.ts';
import { createState, type HumanNow, type OracleState } from './oracle-state.ts';
import type { Account, Complain, Disturbances, Figures, Parts, Plan, Told } from './oracle-parts.ts';
import type { Change, World } from '../world/world.ts';

/**
 * Says after each tick who had to be told of what in it, who could be, and who was wrongly. It follows what really arrived,
 * so that one mistake is one violation.
 */

export interface Oracle {
  state: OracleState;
  figures: Figures;
  apply(change: Change): void;
  /** The machines plan at this moment. */
  planned(now: number): void;
  /** Who has to be told of what in the mails that are planned now, by `keyOf`. */
  expected(): Array<{ human: string; key: string }>;
  /** They delivered: what arrived since, and what was listed. */
  delivered(now: number, told: readonly Told[], disturbances: Disturbances): void;
  /** What had to be told and never was. */
  missing: () => string[];
}

/** Whether a person gets nothing new at this moment: it is early, or there is a mail of this day. */
function isQuiet({ zone, happenedAt }: HumanNow, account: Account, now: number): boolean {
  const today = localTime(now, zone).day;
  if (account.heldOn === today) return true;
  return !isAfterNine(now, zone) && localTime(happenedAt, zone).day !== today;
}

/** Undefined for whoever gets no mail in this tick. */
function planFor(parts: Parts, human: HumanNow, now: number): Plan | undefined {
  const account = parts.accountOf(human.id);
  const isHeld = isQuiet(human, account, now);
  if (account.delay === undefined && isHeld) return undefined;
  const duty = dutyOf({ state: parts.state, human, told: account.told, now });
  if (duty.may.size === 0 && account.delay === undefined) return undefined;
  const isMorning = isAfterNine(now, human.zone);
  const isTime = (due: DueKeys) => !isHeld && due.size > 0 && (isMorning || isUrgent(due));
  return { at: now, duty, mustMail: isTime(duty.must), mayMail: isTime(duty.may) };
}

/** Whoever is known by another name from now on is planned for anew. */
function afterChange({ accountOf, plans }: Parts, change: Change): void {
  if (change.kind !== 'sign-up') return;
  const account = accountOf(change.human);
  if (account.delay) account.delay = { ...account.delay, keys: new Set() };
  const plan = plans.get(change.human);
  if (plan) plan.mustMail = false;
}

function newAccount(): Account {
  return { told: new Set(), heldOn: undefined, mailedOn: undefined, delay: undefined, missed: new Set() };
}

function partsFor(world: World, complain: Complain): Parts {
  const accounts = new Map(world.humans.map(({ id }) => [id, newAccount()]));
  return {
    state: createState(world),
    accountOf: (id) => accounts.get(id) ?? newAccount(),
    missed: () => [...accounts].flatMap(([id, { missed }]) => [...missed].map((key) => `${id}: ${key}`)),
    plans: new Map(),
    figures: { due: new Set(), delivered: 0, listed: 0 },
    complain,
    isRefused: (address, now) => (world.refused.get(address) ?? Infinity) <= now,
    contacts: new Map(world.apps.map(({ clientId, contacts }) => [clientId, contacts])),
  };
}

function byHuman(told: readonly Told[]): Map<string, Told[]> {
  const mails = new Map<string, Told[]>();
  for (const one of told) mails.set(one.human, [...(mails.get(one.human) ?? []), one]);
  return mails;
}

/** One for a world; `complain` is called for each violation as it is found. */
export function createOracle(world: World, complain: Complain): Oracle {
  const parts = partsFor(world, complain);
  const { state, figures, plans } = parts;
  return {
    state,
    figures,
    apply(change) {
      state.apply(change);
      afterChange(parts, change);
    },
    planned(now) {
      plans.clear();
      for (const human of state.humans.values()) {
        const plan = planFor(parts, human, now);
        if (plan) plans.set(human.id, plan);
      }
    },
    expected: () =>
      [...plans].flatMap(([human, { mustMail, duty }]) =>
        mustMail ? [...duty.must.keys()].map((key) => ({ human, key })) : [],
      ),
    delivered(now, told, disturbances) {
      const mails = byHuman(told);
      for (const [id] of mails) if (!state.humans.has(id)) complain('wrong address', `nobody is ${id}`);
      for (const human of state.humans.values())
        judgeHuman(parts, human, { now, mails: mails.get(human.id) ?? [], disturbances });
      plans.clear();
    },
    missing: parts.missed,
  };
}
