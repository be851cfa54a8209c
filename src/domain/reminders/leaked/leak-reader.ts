import { normalEmail } from '../../../shared/mail/address.ts';
import { type LeakWithReaders, listWithReaders } from '../../../store/reminders/leak-readers.ts';
import type { ReminderRow } from '../../../store/reminders/reminders.ts';
import type { PersonRole } from '../../../store/tables/lifecycle.ts';
import type { RemindersDeps } from '../deps.ts';
import { namesOfMail, whoIsOfMail } from '../find-people.ts';
import type { PersonIdentity, ReminderPerson } from '../people.ts';

/** The readers of mails about leaked tokens. Other than for reminders, no token of theirs has to wait. */

/** A person of whom the bridge knows no more than the id. Support finds the mail among those that reached nobody. */
const unknownPerson = (accountId: string): PersonIdentity => ({
  id: `account:${accountId}`,
  aliases: [`account:${accountId}`],
  accountId,
  name: undefined,
  address: undefined,
  zone: 'UTC',
});

/**
 * The name (`account:ID` or `email:ADDRESS`) by which a mail finds the reader of a token in a role; undefined where nobody
 * is known.
 */
export function nameOfReader(token: LeakWithReaders, role: PersonRole): string | undefined {
  const { account_id, account_email, owner_account_id, owner_email } = token;
  const [accountId, email] =
    role === 'holder' ? [account_id, account_email] : [owner_account_id, owner_email];
  if (accountId !== null) return `account:${accountId}`;
  return email === null ? undefined : `email:${normalEmail(email)}`;
}

/** The person behind such a name as of now. */
export async function leakPerson(context: RemindersDeps, name: string): Promise<PersonIdentity> {
  const person = await whoIsOfMail(context, { person: name });
  return person ?? unknownPerson(name.slice(name.indexOf(':') + 1));
}

/** The reader of a mail as of now. */
export async function leakReader(context: RemindersDeps, mail: { person: string }): Promise<ReminderPerson> {
  return { ...(await leakPerson(context, mail.person)), parts: [] };
}

/**
 * The reminders of a mail about tokens, or about apps, that are somebody else's by now. Their new holder or owner gets
 * another mail.
 */
export async function ofOtherReaders(
  context: RemindersDeps,
  mail: { person: string },
  reminders: readonly ReminderRow[],
): Promise<ReminderRow[]> {
  const ids = reminders.map(({ planned_for: id }) => id);
  const rows = await listWithReaders(context.store.durable, ids);
  const tokens = new Map(rows.map((row) => [row.mapping_id, row]));
  const names = await namesOfMail(context, mail);
  return reminders.filter(({ planned_for: id, role }) => {
    const token = tokens.get(id);
    return token === undefined || !names.includes(nameOfReader(token, role) ?? '');
  });
}
