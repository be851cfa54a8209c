import type { RemindersDeps } from '../deps.ts';
import { whoIs } from '../find-people.ts';
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
export async function leakReader(
  context: RemindersDeps,
  { person: id }: { person: string },
): Promise<ReminderPerson> {
  const [, by, name = ''] = /^(account|email):(.*)$/.exec(id) ?? [];
  const asked = by === 'account' ? { accountId: name, email: null } : { accountId: null, email: name };
  const person = await leakPerson(context, asked);
  return { ...(person ?? unknownPerson(name)), parts: [] };
}
