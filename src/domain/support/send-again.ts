import { newHexId } from '../../shared/ids.ts';
import { insertPlanned } from '../../store/reminders/reminders.ts';
import type { Database } from '../../store/driver/store.ts';
import type { Origin } from '../origin.ts';
import type { SupportDeps } from './deps.ts';
import { recordEvent } from '../history/record-event.ts';
import { AGAIN, besideMailOfDay } from '../reminders/asked.ts';
import type { PersonIdentity } from '../reminders/people.ts';
import { localDay } from '../reminders/local-days.ts';
import { oldApiStatusNow } from '../lifecycle/old-api-status.ts';
import { checkedReason } from '../history/reason.ts';
import { type MappingTarget, mappingTarget } from './actions/actions.ts';
import {
  addressHindrance,
  type Hindrance,
  recipientOf,
  type Prospect,
  recentHindrance,
  type Role,
} from './send-again-people.ts';

/**
 * Support sends a reminder again, to the address that is known now. The reminder goes the way of all reminders: it
 * stands in the ledger, and the delivery checks a last time what waits and sends the mail within a minute.
 */

/** Why the bridge sends no reminders. */
export type ReminderSilence = 'no mail server' | 'restored copy';

/** Why this bridge sends no reminder to any person; undefined where the bridge sends reminders. */
export function silenceOf({ settings, instance }: SupportDeps): ReminderSilence | undefined {
  if (!settings.sendsReminders) return 'no mail server';
  return instance.why() === undefined ? undefined : 'restored copy';
}

/**
 * The people whom a reminder of a token could reach, each with the reason that prevents the reminder. Leaves out a role
 * whose person is not known.
 */
export async function prospectsOf(context: SupportDeps, target: MappingTarget): Promise<Prospect[]> {
  const found: Prospect[] = [];
  for (const role of ['holder', 'owner'] as const) {
    const known = await recipientOf(context, target, role);
    if (known === 'unknown') continue;
    if (known === 'nothing waits') {
      found.push({ role, address: undefined, hindrance: known });
      continue;
    }
    const now = context.clock.now();
    const asked = { person: known.person, clientId: target.clientId, now };
    const recent = await recentHindrance(context.store.durable, asked);
    const hindrance = (await addressHindrance(context, known.address)) ?? recent.hindrance;
    found.push({ ...known, ...recent, hindrance });
  }
  return found;
}

interface SendAgainRequest extends Origin {
  mappingId: string;
  role: Role;
  /** The address that the page showed to whoever chose it. A command or program chooses the role alone. */
  seen?: string;
  reason: string;
}

/**
 * `too late`: the old API has ended for the app, so connecting again would not help. `other address`: the person of the
 * role, or the person's address, is not the one that was seen.
 */
export type SendAgainResult = {
  outcome: 'asked' | 'too late' | 'other address' | Hindrance | ReminderSilence;
};

function ledgerRows(
  person: PersonIdentity,
  { clientId, role, now }: { clientId: string; role: Role; now: number },
) {
  const id = newHexId();
  const mail = {
    id,
    person: person.id,
    day: localDay(now, person.zone),
    replaces: besideMailOfDay(id),
    address: person.address ?? null,
    state: 'due' as const,
    attempts: 0,
    next_at: now,
    failure: null,
    created_at: now,
    ended_at: null,
  };
  const reminder = {
    id: newHexId(),
    mail_id: id,
    person: person.id,
    client_id: clientId,
    role,
    stage: AGAIN,
    planned_for: String(now),
    created_at: now,
  };
  return { mail, reminder };
}

interface ReminderOrder {
  target: MappingTarget;
  asked: SendAgainRequest;
  person: PersonIdentity;
}

async function keep(
  context: SupportDeps,
  tx: Database,
  { target, asked, person }: ReminderOrder,
): Promise<SendAgainResult> {
  const now = context.clock.now();
  const { clientId, mappingId } = target;
  const { role, actor, requestId, reason } = asked;
  const { hindrance } = await recentHindrance(tx, { person, clientId, now });
  if (hindrance) return { outcome: hindrance };
  const { mail, reminder } = ledgerRows(person, { clientId, role, now });
  await insertPlanned(tx, [mail], [reminder]);
  const by = { at: now, actor, requestId, clientId, accountId: person.accountId ?? null, mappingId };
  const words = `to the ${role === 'holder' ? 'holder' : 'owner of the app'}: ${reason}`;
  await recordEvent(context, tx, { ...by, action: 'reminder_asked', reason: words });
  return { outcome: 'asked' };
}

/**
 * Orders a reminder, at most one an hour to a person about an app.
 * @throws {ReasonRefused}
 */
export async function sendAgain(context: SupportDeps, asked: SendAgainRequest): Promise<SendAgainResult> {
  const reason = checkedReason(asked.reason);
  const silence = silenceOf(context);
  if (silence) return { outcome: silence };
  const target = await mappingTarget(context, asked.mappingId);
  if (!target?.isWaiting) return { outcome: 'nothing waits' };
  if (oldApiStatusNow(context, target.clientId).phase === 'ended') return { outcome: 'too late' };
  const known = await recipientOf(context, target, asked.role);
  if (typeof known === 'string') return { outcome: known };
  if (asked.seen !== undefined && asked.seen !== (known.address ?? '')) return { outcome: 'other address' };
  const hindrance = await addressHindrance(context, known.address);
  if (hindrance) return { outcome: hindrance };
  const sending = { target, asked: { ...asked, reason }, person: known.person };
  return context.store.transaction((tx) => keep(context, tx, sending));
}
