import { normalEmail } from '../../shared/mail/address.ts';
import {
  type AccountRow,
  accountsWithEmails,
  readReminderAccount,
  readEarlierEmails,
} from '../../store/reminders/reminder-people.ts';
import type { RemindersDeps } from './deps.ts';
import { joinParts, loadParts } from './load-parts.ts';
import type { AppPart, ReminderPerson, PersonIdentity } from './people.ts';
import { restForCalls } from '../work/yield-to-event-loop.ts';

/**
 * Finds the people behind accounts and addresses. Tokens and apps that wait under an address belong to the first
 * account with this address, so the person is not told twice when the account is pinned. An address without an account
 * is a person of its own.
 */

const UNKNOWN_ZONE = 'UTC';

const emailOf = ({ email }: { email: string | null }) => normalEmail(email ?? '');

const idOfEmail = (email: string) => `email:${email}`;

/** For each of these addresses, the first account with the address, in the order of account ids. */
async function firstAccounts(
  { store: { durable } }: RemindersDeps,
  emails: readonly string[],
): Promise<Map<string, string>> {
  const first = new Map<string, string>();
  if (emails.length === 0) return first;
  for (const row of await accountsWithEmails(durable, emails)) {
    const email = emailOf(row);
    if (!first.has(email)) first.set(email, row.account_id);
  }
  return first;
}

/**
 * The normalised address under which tokens and apps wait for a person: the address of a person without an account, or
 * the present address of an account that is the first with this address. Other names of the person serve the ledger
 * alone: an earlier address may belong to another person by now.
 */
export async function waitingEmailOf(
  context: RemindersDeps,
  { id, accountId }: PersonIdentity,
): Promise<string | undefined> {
  if (accountId === undefined)
    return id.startsWith(idOfEmail('')) ? id.slice(idOfEmail('').length) : undefined;
  const account = await readReminderAccount(context.store.durable, accountId);
  const email = account ? emailOf(account) : '';
  if (email === '') return undefined;
  return (await firstAccounts(context, [email])).get(email) === accountId ? email : undefined;
}

/** The id of the person behind an address: the first account with the address, or else the address itself. */
export async function personIdOf(context: RemindersDeps, address: string): Promise<string> {
  const email = normalEmail(address);
  const accountId = (await firstAccounts(context, [email])).get(email);
  return accountId === undefined ? idOfEmail(email) : `account:${accountId}`;
}

/** The parts that wait under the addresses of these accounts, by the id of the first account with each address. */
async function partsUnderEmails(
  context: RemindersDeps,
  accounts: readonly AccountRow[],
  stopping: AbortSignal | undefined,
): Promise<Map<string, AppPart[]>> {
  const emails = [...new Set(accounts.map(emailOf))].filter((email) => email !== '');
  const parts = await loadParts(context, { by: 'email', names: emails }, stopping);
  const first = await firstAccounts(context, [...parts.keys()]);
  return new Map([...parts].map(([email, own]) => [first.get(email) ?? '', own]));
}

/** The addresses under which the tokens and apps of these accounts once waited, by account id. */
async function earlierEmails(
  { store: { durable } }: RemindersDeps,
  ids: readonly string[],
): Promise<Map<string, string[]>> {
  const emails = new Map<string, string[]>();
  for (const { account_id: id, email } of await readEarlierEmails(durable, ids))
    if (id !== null) emails.set(id, [...(emails.get(id) ?? []), emailOf({ email })]);
  return emails;
}

function holderOf(account: AccountRow, earlier: readonly string[]): PersonIdentity {
  const id = `account:${account.account_id}`;
  const emails = [...new Set([emailOf(account), ...earlier])].filter((email) => email !== '');
  return {
    id,
    aliases: [id, ...emails.map(idOfEmail)],
    accountId: account.account_id,
    name: account.name ?? undefined,
    address: emails[0],
    zone: account.timezone ?? UNKNOWN_ZONE,
  };
}

const withoutAccount = (email: string): PersonIdentity => {
  const id = idOfEmail(email);
  return { id, aliases: [id], accountId: undefined, name: undefined, address: email, zone: UNKNOWN_ZONE };
};

/**
 * The people among these accounts: accounts that hold waiting tokens or own apps.
 * @throws {Error} named AbortError, when `stopping` aborts
 */
export async function peopleOfAccounts(
  context: RemindersDeps,
  accounts: readonly AccountRow[],
  stopping?: AbortSignal,
): Promise<ReminderPerson[]> {
  const ids = accounts.map((row) => row.account_id);
  const own = await loadParts(context, { by: 'account', names: ids }, stopping);
  const waiting = await partsUnderEmails(context, accounts, stopping);
  await restForCalls(stopping);
  const earlier = await earlierEmails(context, ids);
  await restForCalls(stopping);
  return accounts.flatMap((account) => {
    const id = account.account_id;
    const parts = joinParts(own.get(id) ?? [], waiting.get(id) ?? []);
    return parts.length === 0 ? [] : [{ ...holderOf(account, earlier.get(id) ?? []), parts }];
  });
}

/**
 * The people among these addresses: addresses without an account, under which tokens or apps wait.
 * @throws {Error} named AbortError, when `stopping` aborts
 */
export async function peopleOfEmails(
  context: RemindersDeps,
  emails: readonly string[],
  stopping?: AbortSignal,
): Promise<ReminderPerson[]> {
  const first = await firstAccounts(context, emails);
  const names = emails.filter((email) => !first.has(email));
  const parts = await loadParts(context, { by: 'email', names }, stopping);
  return [...parts].map(([email, own]) => ({ ...withoutAccount(email), parts: own }));
}

/**
 * The person behind an account id, or behind an address that an account may have. Reads no tokens and apps. Undefined
 * for an unknown account.
 */
export async function whoIs(
  context: RemindersDeps,
  { accountId, email }: { accountId: string | null; email: string },
): Promise<PersonIdentity | undefined> {
  const address = normalEmail(email);
  const id = accountId ?? (await firstAccounts(context, [address])).get(address);
  if (id === undefined) return withoutAccount(address);
  const account = await readReminderAccount(context.store.durable, id);
  return account && holderOf(account, (await earlierEmails(context, [id])).get(id) ?? []);
}

/** The same for the person of a mail, `account:ID` or `email:ADDRESS`. */
export async function whoIsOfMail(
  context: RemindersDeps,
  { person: id }: { person: string },
): Promise<PersonIdentity | undefined> {
  const [, by, name = ''] = /^(account|email):(.*)$/.exec(id) ?? [];
  return whoIs(context, by === 'account' ? { accountId: name, email: '' } : { accountId: null, email: name });
}

/** All names under which the ledger knows the person of a mail, that of the mail first. */
export async function namesOfMail(
  context: RemindersDeps,
  mail: { person: string },
): Promise<readonly string[]> {
  const known = await whoIsOfMail(context, mail);
  return [...new Set([mail.person, ...(known?.aliases ?? [])])];
}
