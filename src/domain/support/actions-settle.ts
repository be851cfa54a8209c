import { findUndeliverable, settleMail } from '../../store/reminders/mails.ts';
import { namesOf } from '../../store/support/support-events.ts';
import type { Context, Origin } from '../context.ts';
import { recordEvents } from '../history/record-event.ts';
import { checkedReason } from '../history/reason.ts';

/** A mail that reached nobody, and support has dealt with: somebody was called, or nothing can be done. */

/** What a person has to know of it. */
export interface UnreachedMail {
  mailId: string;
  /** `account:ID`, or `email:ADDRESS`. */
  person: string;
  /** Of the account, where one is known. */
  name: string | null;
  address: string | undefined;
  failure: string;
  at: number;
  isSettled: boolean;
  apps: Array<{ clientId: string; name: string }>;
}

/** The id in `account:ID`, of a person who is known by an account. */
const accountIn = (person: string) => /^account:(.+)$/.exec(person)?.[1] ?? null;

/** A mail that reached nobody, dealt with or not; undefined where there is none. */
export async function unreachedMail(
  { store }: Pick<Context, 'store'>,
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

interface Asked extends Origin {
  mailId: string;
  reason: string;
}

/**
 * Takes a mail off the list of those that reached nobody; false where it does not stand there.
 * @throws {ReasonRefused}
 */
export async function settleUnreached(context: Context, asked: Asked): Promise<boolean> {
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
    // In the history of every app that the mail was about, for there it is looked for.
    const entries = clientIds.length === 0 ? [entry] : clientIds.map((clientId) => ({ ...entry, clientId }));
    await recordEvents(context, tx, entries);
    return true;
  });
}
