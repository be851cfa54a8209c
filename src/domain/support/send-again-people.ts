import { MINUTE } from '../../shared/lifetimes.ts';
import { isMailAddress, normalEmail } from '../../shared/mail/address.ts';
import type { PersonRole } from '../../store/tables/lifecycle.ts';
import { hasWaiting } from '../../store/reminders/reminder-people.ts';
import { findLatest } from '../../store/reminders/reminders.ts';
import { stoppedAmong } from '../../store/reminders/stopped-addresses.ts';
import type { Database } from '../../store/driver/store.ts';
import type { SupportDeps } from './deps.ts';
import { AGAIN } from '../reminders/asked.ts';
import { waitingEmailOf, whoIs } from '../reminders/find-people.ts';
import type { PersonIdentity } from '../reminders/people.ts';
import type { MappingTarget } from './actions/actions.ts';

/** The people whom support can remind of a token: the holder of the token and the owner of the app. */

export type { PersonRole as Role };

/** Why a person gets no reminder. */
export type Hindrance =
  /** Neither an account nor an address is known. */
  | 'unknown'
  | 'nothing waits'
  | 'no address'
  /** The imported address is no e-mail address. */
  | 'bad address'
  /** The reader said that the address is not theirs. */
  | 'stopped'
  | 'on its way'
  | 'too soon';

interface ReminderRecipient {
  role: PersonRole;
  person: PersonIdentity;
  address: string | undefined;
}

/** The holder of the token or the owner of the app, with the reason that prevents a reminder. */
export type Prospect =
  | (ReminderRecipient & { hindrance: Hindrance | undefined; lastAt: number | undefined })
  | { role: PersonRole; address: undefined; hindrance: 'nothing waits' };

/** The least time between two reminders to one person about the same app. */
const AGAIN_AFTER = 60 * MINUTE;

/** Whether a token of the app waits for a holder, under any name of the holder. */
async function waitsFor(context: SupportDeps, clientId: string, somebody: PersonIdentity): Promise<boolean> {
  const { durable } = context.store;
  const { accountId } = somebody;
  if (accountId !== undefined) {
    const isOwn = await hasWaiting(durable, { clientId, holder: { by: 'account', name: accountId } });
    if (isOwn) return true;
  }
  const email = await waitingEmailOf(context, somebody);
  return email !== undefined && hasWaiting(durable, { clientId, holder: { by: 'email', name: email } });
}

/** The person behind a role of a token whose app is not retired, if a token waits for that person. */
export async function recipientOf(
  context: SupportDeps,
  { clientId, isUnidentified, accountId, waitsUnder, owner }: MappingTarget,
  role: PersonRole,
): Promise<ReminderRecipient | Extract<Hindrance, 'unknown' | 'nothing waits'>> {
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

/** The reason why an address gets no mails. */
export async function addressHindrance(
  { store }: SupportDeps,
  address: string | undefined,
): Promise<Hindrance | undefined> {
  if (address === undefined) return 'no address';
  if (!isMailAddress(address)) return 'bad address';
  const stopped = await stoppedAmong(store.durable, [normalEmail(address)]);
  return stopped.size > 0 ? 'stopped' : undefined;
}

/**
 * Whether a reminder by support about an app is on its way to a person or was sent lately, and the time of the last
 * such reminder.
 */
export async function recentHindrance(
  db: Database,
  { person, clientId, now }: { person: PersonIdentity; clientId: string; now: number },
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
