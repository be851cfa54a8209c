import { MINUTE } from '../../shared/lifetimes.ts';
import { isMailAddress, normalEmail } from '../../shared/mail/address.ts';
import type { Role } from '../../store/tables/lifecycle.ts';
import { hasWaiting } from '../../store/reminders/reminder-people.ts';
import { findLatest } from '../../store/reminders/reminders.ts';
import { stoppedAmong } from '../../store/reminders/stopped-addresses.ts';
import type { Database } from '../../store/driver/store.ts';
import type { Context } from '../context.ts';
import { AGAIN } from '../reminders/asked.ts';
import { waitingEmailOf, whoIs } from '../reminders/find-people.ts';
import type { Somebody } from '../reminders/people.ts';
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
  person: Somebody;
  address: string | undefined;
}

/** Somebody who holds the token or owns the app, and what keeps a reminder from them. */
export type Prospect = Known & { hindrance: Hindrance | undefined; lastAt: number | undefined };

/** So long nobody is reminded again of the same app. */
const AGAIN_AFTER = 60 * MINUTE;

/** Whether anything waits at the app for a holder, under any name of theirs. */
async function waitsFor(context: Context, clientId: string, somebody: Somebody): Promise<boolean> {
  const { durable } = context.store;
  const { accountId } = somebody;
  if (accountId !== undefined) {
    const isOwn = await hasWaiting(durable, { clientId, holder: { by: 'account', name: accountId } });
    if (isOwn) return true;
  }
  const email = await waitingEmailOf(context, somebody);
  return email !== undefined && hasWaiting(durable, { clientId, holder: { by: 'email', name: email } });
}

/** Whoever stands behind a role of a token whose app is not retired, if anything waits for them there. */
export async function personIn(
  context: Context,
  { clientId, isUnidentified, accountId, waitsUnder, owner }: MappingTarget,
  role: Role,
): Promise<Known | Extract<Hindrance, 'unknown' | 'nothing waits'>> {
  const names = role === 'owner' ? owner : { accountId, email: waitsUnder };
  if (names.accountId === null && !names.email) return 'unknown';
  const person = await whoIs(context, { ...names, email: names.email ?? '' });
  if (!person) return 'nothing waits';
  const isWaiting =
    role === 'holder'
      ? await waitsFor(context, clientId, person)
      : !isUnidentified && (await hasWaiting(context.store.durable, { clientId }));
  return isWaiting ? { role, person, address: person.address } : 'nothing waits';
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
  { person, clientId, now }: { person: Somebody; clientId: string; now: number },
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
