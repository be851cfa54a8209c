import { findUndeliverable, settleMail } from '../../../store/reminders/mails.ts';
import { namesOf } from '../../../store/support/support-events.ts';
import type { Origin } from '../../origin.ts';
import type { SupportDeps } from '../deps.ts';
import { recordEvents } from '../../history/record-event.ts';
import { checkedReason } from '../../history/reason.ts';

/** Support settles a mail that reached nobody: support called the person, or nothing can be done. */

/** The facts that support needs about the mail. */
export interface UnreachedMail {
  mailId: string;
  /** `account:ID`, or `email:ADDRESS`. */
  person: string;
  /** The name of the account, where an account is known. */
  name: string | null;
  address: string | undefined;
  failure: string;
  at: number;
  isSettled: boolean;
  apps: Array<{ clientId: string; name: string }>;
}

/** The account id in `account:ID`; null for a person without a known account. */
const accountIn = (person: string) => /^account:(.+)$/.exec(person)?.[1] ?? null;

/** An undeliverable mail, settled or not; undefined where there is no such mail. */
export async function unreachedMail(
  { store }: Pick<SupportDeps, 'store'>,
  mailId: string,
): Promise<UnreachedMail | undefined> {
  const found = await findUndeliverable(store.durable, mailId);
  if (!found) return undefined;
  const { mail, apps } = found;
  const accountId = accountIn(mail.person);
  const [account] = accountId === null ? [] : await namesOf(store.durable, [accountId]);
  return {
    mailId,
    person: mail.person,
    name: account?.name ?? null,
    address: mail.address ?? undefined,
    failure: mail.failure ?? '',
    at: mail.ended_at ?? mail.created_at,
    isSettled: mail.settled_at !== null,
    apps: apps.map((app) => ({ clientId: app.client_id, name: app.name })),
  };
}

interface SettleRequest extends Origin {
  mailId: string;
  reason: string;
}

/**
 * Takes a mail off the list of mails that reached nobody; false where the mail is not on the list.
 * @throws {ReasonRefused}
 */
export async function settleUnreached(context: SupportDeps, asked: SettleRequest): Promise<boolean> {
  const { mailId, actor, requestId } = asked;
  const reason = checkedReason(asked.reason);
  return context.store.transaction(async (tx) => {
    const at = context.clock.now();
    const mail = await settleMail(tx, mailId, { at, by: actor });
    if (!mail) return false;
    const found = await findUndeliverable(tx, mailId);
    const clientIds = found?.apps.map(({ client_id: id }) => id) ?? [];
    const by = { at, actor, requestId, accountId: accountIn(mail.person) };
    const entry = { ...by, action: 'mail_settled', reason: `mail ${mailId}: ${reason}` };
    // Support looks in the history of an app, so every app that the mail was about gets the entry.
    const entries = clientIds.length === 0 ? [entry] : clientIds.map((clientId) => ({ ...entry, clientId }));
    await recordEvents(context, tx, entries);
    return true;
  });
}
