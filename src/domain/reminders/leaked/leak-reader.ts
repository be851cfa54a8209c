import type { RemindersDeps } from '../deps.ts';
import { whoIs, whoIsOfMail } from '../find-people.ts';
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

/** The person behind an account id, or behind an address; undefined where neither is known. */
export async function leakPerson(
  context: RemindersDeps,
  { accountId, email }: { accountId: string | null; email: string | null },
): Promise<PersonIdentity | undefined> {
  if (accountId === null && email === null) return undefined;
  const known = await whoIs(context, { accountId, email: email ?? '' });
  return known ?? (accountId === null ? undefined : unknownPerson(accountId));
}

/** The person of a mail (`account:ID` or `email:ADDRESS`) as of now. */
export async function leakReader(context: RemindersDeps, mail: { person: string }): Promise<ReminderPerson> {
  const person = await whoIsOfMail(context, mail);
  return { ...(person ?? unknownPerson(mail.person.slice(mail.person.indexOf(':') + 1))), parts: [] };
}
