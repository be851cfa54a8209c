import { MINUTE } from '../../shared/lifetimes.ts';
import { isMailAddress, normalEmail } from '../../shared/mail/address.ts';
import type { Role } from '../../store/lifecycle-tables.ts';
import { findLatest } from '../../store/reminders.ts';
import { stoppedAmong } from '../../store/stopped-addresses.ts';
import type { Database } from '../../store/store.ts';
import type { Context } from '../context.ts';
import { AGAIN } from '../reminders/asked.ts';
import { personIdOf } from '../reminders/find-people.ts';
import { findPerson } from '../reminders/load-people.ts';
import type { Person } from '../reminders/people.ts';
import type { MappingTarget } from './actions.ts';

/** Who can be reminded of a token by hand: its holder, and the owner of its app. */

export type { Role };

/** Why nobody is written to. */
export type Hindrance =
  /** Neither an account nor an address is known. */
  | 'unknown'
  | 'nothing waits'
  | 'no address'
  /** What was imported as an address is none. */
  | 'bad address'
  /** The reader said that it is not theirs. */
  | 'stopped'
  | 'on its way'
  | 'too soon';

interface Known {
  role: Role;
  person: Person;
  address: string | undefined;
}

/** Somebody who holds the token or owns the app, and what keeps a reminder from them. */
export type Prospect = Known & { hindrance: Hindrance | undefined; lastAt: number | undefined };

/** So long nobody is reminded again of the same app. */
const AGAIN_AFTER = 60 * MINUTE;

interface Names {
  accountId: string | null;
  email: string | null;
}

async function idOf(context: Context, { accountId, email }: Names): Promise<string | undefined> {
  if (accountId !== null) return `account:${accountId}`;
  return email === null || email === '' ? undefined : personIdOf(context, email);
}

/** Whoever stands behind a role of a token, with what waits for them; undefined where nobody is known by anything. */
export async function personIn(
  context: Context,
  { clientId, accountId, waitsUnder, owner }: MappingTarget,
  role: Role,
): Promise<Known | Extract<Hindrance, 'unknown' | 'nothing waits'>> {
  const names = role === 'owner' ? owner : { accountId, email: waitsUnder };
  const id = await idOf(context, names);
  if (id === undefined) return 'unknown';
  const person = await findPerson(context, id);
  const part = person?.parts.find((one) => one.role === role && one.clientId === clientId);
  if (!person || !part) return 'nothing waits';
  const waiting = part.role === 'holder' ? part.waiting : part.tokens.waiting;
  return waiting === 0 ? 'nothing waits' : { role, person, address: person.address };
}

/** What of an address keeps mails from it. */
export async function addressHindrance(
  { store }: Context,
  address: string | undefined,
): Promise<Hindrance | undefined> {
  if (address === undefined) return 'no address';
  if (!isMailAddress(address)) return 'bad address';
  const stopped = await stoppedAmong(store.durable, [normalEmail(address)]);
  return stopped.size > 0 ? 'stopped' : undefined;
}

/** Whether a reminder by hand about an app is on its way to a person or was of late, and when that was. */
export async function recentHindrance(
  db: Database,
  { person, clientId, now }: { person: Person; clientId: string; now: number },
): Promise<{ hindrance: Hindrance | undefined; lastAt: number | undefined }> {
  const last = await findLatest(db, { people: person.aliases, clientId, stage: AGAIN });
  if (!last) return { hindrance: undefined, lastAt: undefined };
  const isOpen = last.state === 'due' || last.state === 'sending';
  const isRecent = last.created_at > now - AGAIN_AFTER;
  return {
    hindrance: isOpen ? 'on its way' : isRecent ? 'too soon' : undefined,
    lastAt: last.created_at,
  };
}
