import { DAY, MINUTE } from '../../shared/lifetimes.ts';
import { isMailAddress } from '../../shared/mail/address.ts';
import { accountsAfter, readAccount, waitingEmailsAfter } from '../../store/reminders/reminder-people.ts';
import { readHoldingMails, readTold, type ReminderRow } from '../../store/reminders/reminders.ts';
import { stoppedAmong } from '../../store/reminders/stopped-addresses.ts';
import type { Context } from '../context.ts';
import { peopleOfAccounts, peopleOfEmails } from './find-people.ts';
import type { Person } from './people.ts';
import { firstDayToTell, keyOfStage, localDay } from './plan-stages.ts';
import { yieldToEventLoop } from '../work/yield-to-event-loop.ts';

/** Whom reminders may concern, with what the ledger says of them; read page by page, so that memory stays flat. */

/** A person and what the ledger says. */
interface Told {
  person: Person;
  /** The keys of the stages that the person was told of, or is about to be, under any name (`keyOfStage`). */
  told: Set<string>;
}

export interface Candidate extends Told {
  /** One mail a day: one is on its way, or one is there of this day or left on it. */
  isHeld: boolean;
}

/** A statement about so many people takes SQLite some tens of milliseconds at most, in which the process does nothing else. */
const PAGE = 200;

/** Addresses that are none, and those that asked for no more mails, are as good as unknown. */
async function withKnownAddresses(
  { store: { durable } }: Context,
  people: readonly Person[],
): Promise<Person[]> {
  const addresses = people.flatMap(({ address }) => address ?? []);
  const stopped = await stoppedAmong(durable, addresses);
  const isKnown = (address: string) => isMailAddress(address) && !stopped.has(address);
  return people.map((person) => {
    const { address } = person;
    return address === undefined || isKnown(address) ? person : { ...person, address: undefined };
  });
}

/** The key of a row of the ledger (`keyOfStage`). */
export function keyOfRow(row: Pick<ReminderRow, 'client_id' | 'role' | 'stage' | 'planned_for'>): string {
  const { client_id: clientId, role, stage, planned_for: plannedFor } = row;
  return keyOfStage({ clientId, role, stage, plannedFor });
}

/** Rows of the ledger by the names of people. */
function byName<Row extends { person: string }>(rows: readonly Row[]): (person: Person) => Row[] {
  const names = new Map<string, Row[]>();
  for (const row of rows) {
    const known = names.get(row.person);
    if (known) known.push(row);
    else names.set(row.person, [row]);
  }
  return ({ aliases }) => aliases.flatMap((name) => names.get(name) ?? []);
}

const namesOf = (people: readonly Person[]) => [...new Set(people.flatMap(({ aliases }) => aliases))];

interface Ledger {
  /** Unix milliseconds. */
  now: number;
  /** A mail whose own reminders do not count as told. */
  exceptMail?: string;
}

async function withTold(
  { store: { durable } }: Context,
  people: readonly Person[],
  { now, exceptMail }: Ledger,
): Promise<Told[]> {
  const sinceDay = firstDayToTell(now);
  const rowsOf = byName(await readTold(durable, namesOf(people), { exceptMail, sinceDay }));
  return people.map((person) => ({ person, told: new Set(rowsOf(person).map(keyOfRow)) }));
}

type HoldingMail = Awaited<ReturnType<typeof readHoldingMails>>[number];

function holds(
  { state, day, ended_at: endedAt }: HoldingMail,
  today: (at: number) => string,
  now: number,
): boolean {
  if (state === 'due' || state === 'sending' || day === today(now)) return true;
  return state === 'sent' && endedAt !== null && today(endedAt) === today(now);
}

/** No day is longer anywhere, the one on which clocks are set back included. */
const LONGEST_DAY = 27 * 60 * MINUTE;

/** All days that it is somewhere. */
const daysAt = (now: number) => [now - DAY, now, now + DAY].map((time) => localDay(time, 'UTC'));

async function candidatesOf(context: Context, found: readonly Person[], now: number): Promise<Candidate[]> {
  const { durable } = context.store;
  const people = await withKnownAddresses(context, found);
  const recent = { days: daysAt(now), sentSince: now - LONGEST_DAY };
  const mailsOf = byName(await readHoldingMails(durable, namesOf(people), recent));
  const isHeld = (person: Person) =>
    mailsOf(person).some((mail) => holds(mail, (at) => localDay(at, person.zone), now));
  return (await withTold(context, people, { now })).map((one) => ({ ...one, isHeld: isHeld(one.person) }));
}

/** Pages of what follows in some order, until one is empty; each row names where the next page begins. */
async function* pagesOf<Row>(
  { shutdown }: Context,
  { read, nameOf }: { read: (after: string) => Promise<readonly Row[]>; nameOf: (row: Row) => string },
): AsyncIterable<readonly Row[]> {
  let after = '';
  for (;;) {
    const rows = await read(after);
    const last = rows.at(-1);
    if (last === undefined) return;
    yield rows;
    after = nameOf(last);
    await yieldToEventLoop(shutdown.signal);
  }
}

async function* pagesOfPeople(context: Context): AsyncIterable<Person[]> {
  const { durable } = context.store;
  const accounts = pagesOf(context, {
    read: (after) => accountsAfter(durable, after, PAGE),
    nameOf: (row) => row.account_id,
  });
  for await (const page of accounts) yield peopleOfAccounts(context, page);
  const emails = pagesOf(context, {
    read: (after) => waitingEmailsAfter(durable, after, PAGE),
    nameOf: (email) => email,
  });
  for await (const page of emails) yield peopleOfEmails(context, page);
}

/**
 * Everybody who holds or owns anything that waits or works, in a stable order: accounts, then the addresses that no account
 * has. `now` in Unix milliseconds says which day it is for whom.
 */
export async function* peoplePages(context: Context, { now }: { now: number }): AsyncIterable<Candidate[]> {
  for await (const people of pagesOfPeople(context))
    if (people.length > 0) yield await candidatesOf(context, people, now);
}

/** One person by `account:ID` or `email:ADDRESS` with the address as it is known, usable or not. */
async function findPerson(context: Context, id: string): Promise<Person | undefined> {
  const [, by, name = ''] = /^(account|email):(.*)$/.exec(id) ?? [];
  if (by === 'email') return (await peopleOfEmails(context, [name]))[0];
  const account = by === 'account' ? await readAccount(context.store.durable, name) : undefined;
  return account && (await peopleOfAccounts(context, [account]))[0];
}

/**
 * One person as of now, by `account:ID` or `email:ADDRESS`; undefined when nothing waits for or belongs to that person any
 * more, also for an address that an account has meanwhile.
 */
export async function loadPerson(context: Context, id: string, ledger: Ledger): Promise<Told | undefined> {
  const found = await findPerson(context, id);
  if (!found) return undefined;
  const [one] = await withTold(context, await withKnownAddresses(context, [found]), ledger);
  return one;
}
