import type { MappingRow } from '../../store/tokens/find-mappings.ts';
import { readApp } from '../../store/support/support-app.ts';
import { listMailsTo, type ReminderMail } from '../../store/support/support-pair.ts';
import type { SupportDeps } from './deps.ts';
import { LEAKED_STAGE } from '../../store/reminders/leak-readers.ts';
import { AGAIN } from '../reminders/asked.ts';
import { personIdOf } from '../reminders/find-people.ts';

/** The mails on support's page about a token. */

/** How many of the newest mails to one person about one app are listed. */
const MAILS_MAX = 20;

/** The names of the holder of the token in the ledger of mails. */
function holderNames({ account_id: id, account_email: waits, email }: MappingRow): string[] {
  return [
    ...(id === null ? [] : [`account:${id}`]),
    ...(waits === null ? [] : [`email:${waits}`]),
    ...(id === null || email === null ? [] : [`email:${email.toLowerCase()}`]),
  ];
}

/** The names of the owner of an app in the ledger. An address alone may name an owner too. */
async function ownerNames(context: SupportDeps, clientId: string): Promise<string[]> {
  const app = await readApp(context.store.durable, clientId);
  const { owner_account_id: id, owner_email: waits, owner_address: email } = app ?? {};
  const addresses = [waits, email].flatMap((address) => address?.toLowerCase() ?? []);
  const byAddress = id || !waits ? [] : [await personIdOf(context, waits)];
  return [...(id ? [`account:${id}`] : []), ...byAddress, ...addresses.map((address) => `email:${address}`)];
}

const keyOf = ({ mail_id: id, role }: ReminderMail) => `${id} ${role}`;

/**
 * The mails to the holder of a token about the app, and the mails to the owner of the app that are of this page: what
 * support had sent again, and what was said of this token when it leaked. The newest mail comes first.
 */
export async function mailsOfToken(context: SupportDeps, mapping: MappingRow): Promise<ReminderMail[]> {
  const { durable } = context.store;
  const clientId = mapping.client_id;
  const owner = { people: await ownerNames(context, clientId), clientId };
  const [toHolder, asked, leaked] = await Promise.all([
    listMailsTo(durable, { people: holderNames(mapping), clientId, leakOf: mapping.id }, MAILS_MAX),
    listMailsTo(durable, { ...owner, only: { role: 'owner', stage: AGAIN } }, MAILS_MAX),
    listMailsTo(
      durable,
      { ...owner, only: { role: 'owner', stage: LEAKED_STAGE }, leakOf: mapping.id },
      MAILS_MAX,
    ),
  ]);
  const known = new Set(toHolder.map(keyOf));
  const all = [...toHolder, ...[...asked, ...leaked].filter((mail) => !known.has(keyOf(mail)))];
  return all.toSorted((one, other) => other.created_at - one.created_at);
}
