import type { Lifecycle } from '../../../src/domain/lifecycle/lifecycle.ts';
import type { DateChanges } from '../../../src/domain/lifecycle/read-lifecycle.ts';
import type { HolderPart, OwnerPart, AppPart, ReminderPerson } from '../../../src/domain/reminders/people.ts';
import { keyOfStage, stagesDue } from '../../../src/domain/reminders/plan-stages.ts';

/** One person at one moment, in few words. */

export const RETIREMENT = '2027-02-01T12:00:00Z';
const SUNSET = '2027-08-01T12:00:00Z';
const DAYS = [30, 14, 7, 1, 0];
export const ms = (text: string) => Date.parse(text.length === 10 ? `${text}T00:00:00Z` : text);

export interface Case {
  now: string;
  dates?: { retirement?: string; sunset?: string };
  extended?: { retirement?: string; sunset?: string };
  /** When the dates of all were last set, and when extensions of the app last ended. */
  changed?: { ofAll?: Case['dates']; ofApp?: Case['dates'] };
  parts: AppPart[];
  told?: string[];
  zone?: string;
  days?: number[];
  /** Whether all calls of the last 30 days are counted; yes unless told otherwise. */
  isCounted?: boolean;
}

export const DATES = { retirement: RETIREMENT, sunset: SUNSET };

function dated(dates: NonNullable<Case['dates']>) {
  return Object.fromEntries(Object.entries(dates).map(([name, at]) => [name, ms(at)]));
}

export function personOf({ parts, zone = 'UTC' }: Pick<Case, 'parts' | 'zone'>): ReminderPerson {
  const names = { id: 'account:a', aliases: ['account:a'], accountId: 'a', name: 'A' };
  return { ...names, address: 'a@example.org', zone, parts };
}

function lifecycleOf({ dates = DATES, extended }: Pick<Case, 'dates' | 'extended'>): Lifecycle {
  return {
    dates: dated(dates),
    extensions: new Map(extended ? [['app', dated(extended)]] : []),
    exemptions: new Map(),
    brownouts: [],
  };
}

function changesOf({ changed: { ofAll = {}, ofApp = {} } = {} }: Case): DateChanges {
  return { ofAll: dated(ofAll), ofApp: new Map([['app', dated(ofApp)]]) };
}

/** A stage as the tests write it: `holder 7 retirement:2027-02-01`. */
const readStage = (text: string) => {
  const [role = '', stage = '', plannedFor = ''] = text.split(' ');
  return { clientId: 'app', role: role as 'holder', stage, plannedFor };
};

export function dueAt(given: Case) {
  const told = new Set((given.told ?? []).map((text) => keyOfStage(readStage(text))));
  const at = {
    lifecycle: lifecycleOf(given),
    changes: changesOf(given),
    days: given.days ?? DAYS,
    now: ms(given.now),
    isCounted: given.isCounted ?? true,
  };
  return stagesDue(personOf(given), told, at);
}

export const stages = (given: Case) =>
  dueAt(given).map(({ role, stage, plannedFor }) => `${role} ${stage} ${plannedFor}`.trim());

export const used = (text: string) => ms(text);

export function holder(changes: Partial<HolderPart> = {}): HolderPart {
  const times = {
    lastUsedAt: used('2027-01-31'),
    wokenAt: undefined,
    diedAt: undefined,
    knownSince: undefined,
  };
  return { role: 'holder', clientId: 'app', appName: 'App', waiting: 2, ...times, ...changes };
}

export function owner(changes: Partial<OwnerPart> = {}): OwnerPart {
  return {
    role: 'owner',
    clientId: 'app',
    appName: 'App',
    tokens: { waiting: 3, active: 4 },
    accounts: { waiting: 3, active: 4 },
    lastUsedAt: used('2027-01-31'),
    waitingUsedAt: used('2027-01-31'),
    passedAt: undefined,
    knownSince: undefined,
    ...changes,
  };
}
