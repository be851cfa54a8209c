import { DAY, MINUTE } from '../../shared/lifetimes.ts';
import { isMailAddress } from '../../shared/mail/address.ts';
import {
  accountsAfter,
  readReminderAccount,
  unknownEmailsAfter,
} from '../../store/reminders/reminder-people.ts';
import {
  readDatesOf,
  readHoldingMails,
  readTold,
  type ReminderRow,
} from '../../store/reminders/reminders.ts';
import { stoppedAmong } from '../../store/reminders/stopped-addresses.ts';
import { isForContact } from './asked.ts';
import type { RemindersDeps } from './deps.ts';
import { peopleOfAccounts, peopleOfEmails } from './find-people.ts';
import type { ReminderPerson } from './people.ts';
import { localDay } from './local-days.ts';
import { firstDayToTell, keyOfDate, keyOfStage, type PlanInput } from './plan-stages.ts';
import { restForCalls } from '../work/yield-to-event-loop.ts';
import { groupBy } from '../../shared/group-by.ts';

/**
 * The people whom reminders may concern, with their stages in the ledger. People are read page by page to keep memory
 * flat.
 */

/** A person, with what the ledger says about the next mail of the person. */
export interface Candidate {
  person: ReminderPerson;
  /** The keys (`keyOfStage`) of the stages of which the person was told, or is about to be told, under any name. */
  told: Set<string>;
  /**
   * One mail a day: true while a mail to the person is on its way, and when a mail belongs to the person's present day or
   * was sent to the person on this day.
   */
  isHeld: boolean;
  /**
   * The keys (`keyOfDate`) of the dates of mails on their way to contacts. Such a mail tells the next stages of its dates
   * itself. It may be on its way for five days, so it holds nothing else after its day.
   */
  heldDates: Set<string>;
}

/**
 * People of one statement. With SQLite, the statement takes some tens of milliseconds at most, and the process does no
 * other work meanwhile.
 */
const PAGE = 200;

/** Tells apart the addresses that take no mails: unusable ones, and those whose reader stopped the mails. */
async function withKnownAddresses(
  { store: { durable } }: RemindersDeps,
  people: readonly ReminderPerson[],
): Promise<ReminderPerson[]> {
  const addresses = people.flatMap(({ address }) => address ?? []);
  const stopped = await stoppedAmong(durable, addresses);
  const isKnown = (address: string) => isMailAddress(address) && !stopped.has(address);
  return people.map((person) => {
    const { address } = person;
    if (address === undefined || isKnown(address)) return person;
    return { ...person, address: undefined, closedAddress: address };
  });
}

const dateOfRow = (row: Pick<ReminderRow, 'client_id' | 'role' | 'planned_for'>) =>
  keyOfDate({ clientId: row.client_id, role: row.role, plannedFor: row.planned_for });

/** The key of a row of the ledger (`keyOfStage`). */
export function keyOfRow(row: Pick<ReminderRow, 'client_id' | 'role' | 'stage' | 'planned_for'>): string {
  const { client_id: clientId, role, stage, planned_for: plannedFor } = row;
  return keyOfStage({ clientId, role, stage, plannedFor });
}

/** Rows of the ledger by person, under all names of the person. */
function byName<Row extends { person: string }>(rows: readonly Row[]): (person: ReminderPerson) => Row[] {
  // Most pages have no rows at all.
  if (rows.length === 0) return () => [];
  const names = groupBy(rows, ({ person }) => person);
  return ({ aliases }) => aliases.flatMap((name) => names.get(name) ?? []);
}

const namesOf = (people: readonly ReminderPerson[]) => people.flatMap(({ aliases }) => aliases);

interface LedgerOptions {
  /** Says how far back the ledger is read. */
  planning: PlanInput;
  /** A mail whose reminders do not count as told, and that holds nothing. */
  exceptMail?: string;
}

async function withTold(
  { store: { durable } }: RemindersDeps,
  people: readonly ReminderPerson[],
  { planning, exceptMail }: LedgerOptions,
): Promise<Array<Pick<Candidate, 'person' | 'told'>>> {
  const sinceDay = firstDayToTell(planning);
  const rowsOf = byName(await readTold(durable, namesOf(people), { exceptMail, sinceDay }));
  return people.map((person) => ({ person, told: new Set(rowsOf(person).map(keyOfRow)) }));
}

type HoldingMail = Awaited<ReturnType<typeof readHoldingMails>>[number];

const isOnItsWay = ({ state }: HoldingMail) => state === 'due' || state === 'sending';

function holds(mail: HoldingMail, today: (at: number) => string, now: number): boolean {
  const { state, day, ended_at: endedAt } = mail;
  if (day === today(now)) return true;
  if (isForContact(mail)) return false;
  return isOnItsWay(mail) || (state === 'sent' && endedAt !== null && today(endedAt) === today(now));
}

/** No day is longer in any zone, not even a day on which the clocks are set back. */
const LONGEST_DAY = 27 * 60 * MINUTE;

/** All calendar days that it may be now in some zone. */
const daysAt = (now: number) => [now - DAY, now, now + DAY].map((time) => localDay(time, 'UTC'));

async function candidatesOf(
  context: RemindersDeps,
  people: readonly ReminderPerson[],
  ledger: LedgerOptions,
): Promise<Candidate[]> {
  const { now, haveMailsEnded = false } = ledger.planning;
  const { durable } = context.store;
  const recent = { days: daysAt(now), sentSince: now - LONGEST_DAY };
  const mails = (await readHoldingMails(durable, namesOf(people), recent)).filter(
    (mail) => mail.id !== ledger.exceptMail && !(haveMailsEnded && isOnItsWay(mail)),
  );
  const mailsOf = byName(mails);
  const toContacts = mails.filter((mail) => isForContact(mail) && isOnItsWay(mail));
  // Read after the mails: a mail of the day that goes on to a contact in between holds its person as a mail of the day.
  const toldByContacts = new Set(toContacts.map(({ person }) => person));
  const datesOf = byName(await readDatesOf(durable, [...toldByContacts], ledger.exceptMail));
  const isHeld = (person: ReminderPerson) =>
    mailsOf(person).some((mail) => holds(mail, (at) => localDay(at, person.zone), now));
  return (await withTold(context, people, ledger)).map((one) => ({
    ...one,
    isHeld: isHeld(one.person),
    heldDates: new Set(datesOf(one.person).map(dateOfRow)),
  }));
}

async function candidatesOfPage(
  context: RemindersDeps,
  found: readonly ReminderPerson[],
  planning: PlanInput,
): Promise<Candidate[]> {
  if (found.length === 0) return [];
  const people = await withKnownAddresses(context, found);
  await restForCalls(context.shutdown.signal);
  return candidatesOf(context, people, { planning });
}

interface RowPages<Row> {
  read: (after: string) => Promise<readonly Row[]>;
  nameOf: (row: Row) => string;
  start: string;
}

/** Reads rows page by page until a page is empty. `nameOf` of the last row says where the next page begins. */
async function* pagesOf<Row>(
  { shutdown }: RemindersDeps,
  { read, nameOf, start }: RowPages<Row>,
): AsyncIterable<{ rows: readonly Row[]; last: string }> {
  let after = start;
  for (;;) {
    const rows = await read(after);
    const last = rows.at(-1);
    if (last === undefined) return;
    after = nameOf(last);
    await restForCalls(shutdown.signal);
    yield { rows, last: after };
  }
}

/** A place in the order of all people: `account:ID` or `email:ADDRESS`, whether or not a person is there. */
const startOf = (after: string, by: 'account' | 'email') =>
  after.startsWith(`${by}:`) ? after.slice(by.length + 1) : '';

interface PeoplePage<Person> {
  people: Person[];
  /** The place after which the next page begins. */
  last: string;
}

async function* pagesOfPeople(
  context: RemindersDeps,
  from: string,
): AsyncIterable<PeoplePage<ReminderPerson>> {
  const { durable } = context.store;
  const stopping = context.shutdown.signal;
  const accounts = pagesOf(context, {
    read: (after) => accountsAfter(durable, after, PAGE),
    nameOf: (row) => row.account_id,
    start: startOf(from, 'account'),
  });
  if (!from.startsWith('email:'))
    for await (const { rows, last } of accounts)
      yield { people: await peopleOfAccounts(context, rows, stopping), last: `account:${last}` };
  const emails = pagesOf(context, {
    read: (after) => unknownEmailsAfter(durable, after, PAGE),
    nameOf: (email) => email,
    start: startOf(from, 'email'),
  });
  for await (const { rows, last } of emails)
    yield { people: await peopleOfEmails(context, rows, stopping), last: `email:${last}` };
}

/**
 * All people with waiting tokens or with apps, in a stable order: accounts, then the addresses without an account.
 * Each page comes with what it is planned by. A page may have nobody.
 */
export async function* peoplePages(
  context: RemindersDeps,
  { planningNow, after = '' }: { planningNow: () => Promise<PlanInput>; after?: string | undefined },
): AsyncIterable<PeoplePage<Candidate> & { planning: PlanInput }> {
  for await (const { people, last } of pagesOfPeople(context, after)) {
    const planning = await planningNow();
    yield { people: await candidatesOfPage(context, people, planning), planning, last };
    // What was made of these people, and the next ones, are two pieces of work.
    await restForCalls(context.shutdown.signal);
  }
}

/** One person by `account:ID` or `email:ADDRESS`. The address of the person may be unusable. */
async function findPerson(context: RemindersDeps, id: string): Promise<ReminderPerson | undefined> {
  const [, by, name = ''] = /^(account|email):(.*)$/.exec(id) ?? [];
  if (by === 'email') return (await peopleOfEmails(context, [name]))[0];
  const account = by === 'account' ? await readReminderAccount(context.store.durable, name) : undefined;
  return account && (await peopleOfAccounts(context, [account]))[0];
}

/**
 * One person as of now, by `account:ID` or `email:ADDRESS`. Undefined when the person has no waiting tokens and no apps
 * any more, and for an address that an account has meanwhile.
 */
export async function loadPerson(
  context: RemindersDeps,
  id: string,
  ledger: LedgerOptions,
): Promise<Candidate | undefined> {
  const found = await findPerson(context, id);
  if (!found) return undefined;
  return (await candidatesOf(context, await withKnownAddresses(context, [found]), ledger))[0];
}
