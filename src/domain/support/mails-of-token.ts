import type { MappingRow } from '../../store/tokens/find-mappings.ts';
import { readApp } from '../../store/support/support-app.ts';
import { listMailsTo, type ReminderMail } from '../../store/support/support-pair.ts';
import type { Context } from '../context.ts';
import { AGAIN } from '../reminders/asked.ts';
import { personIdOf } from '../reminders/find-people.ts';

/** The mails that support sees on the page of a token. */

/** The newest ones of one person about one app. */
const MAILS_MAX = 20;

/** The names under which the ledger of mails knows whose token it is. */
function holderNames({ account_id: id, account_email: waits, email }: MappingRow): string[] {
  return [
    ...(id === null ? [] : [`account:${id}`]),
    ...(waits === null ? [] : [`email:${waits}`]),
    ...(id === null || email === null ? [] : [`email:${email.toLowerCase()}`]),
  ];
}

/** Those of the owner of an app, whom an address alone may name too. */
async function ownerNames(context: Context, clientId: string): Promise<string[]> {
  const app = await readApp(context.store.durable, clientId);
  const { owner_account_id: id, owner_email: waits, owner_address: email } = app ?? {};
  const addresses = [waits, email].flatMap((address) => address?.toLowerCase() ?? []);
  const byAddress = id || !waits ? [] : [await personIdOf(context, waits)];
  return [...(id ? [`account:${id}`] : []), ...byAddress, ...addresses.map((address) => `email:${address}`)];
}

const keyOf = ({ mail_id: id, role }: ReminderMail) => `${id} ${role}`;

/**
 * What the holder of a token was told about its app, and what support had sent once more to the owner of the app, for it is
 * asked for on this page; the newest first.
 */
export async function mailsOfToken(context: Context, mapping: MappingRow): Promise<ReminderMail[]> {
  const { durable } = context.store;
  const clientId = mapping.client_id;
  const [toHolder, toOwner] = await Promise.all([
    listMailsTo(durable, { people: holderNames(mapping), clientId }, MAILS_MAX),
    listMailsTo(
      durable,
      { people: await ownerNames(context, clientId), clientId, only: { role: 'owner', stage: AGAIN } },
      MAILS_MAX,
    ),
  ]);
  const known = new Set(toHolder.map(keyOf));
  const all = [...toHolder, ...toOwner.filter((mail) => !known.has(keyOf(mail)))];
  return all.toSorted((one, other) => other.created_at - one.created_at).slice(0, MAILS_MAX);
}
