import type { Database } from './store.ts';
import type { MappingState } from './tables.ts';

/** The tokens and apps that a reminder is about, as it needs them. */

const WAITING: readonly MappingState[] = ['unmapped', 'reauthorization_required'];

/** Nobody reads a sum of more; those that were used last count. */
const TOKENS_MAX = 100_000;

/** Who may act for tokens: an account, and whoever has these normalised addresses while no account is known. */
interface Holder {
  accountId: string | undefined;
  emails: readonly string[];
}

/** The tokens of an app that wait for a holder, those that were used last first. */
export async function waitingTokensOf(
  db: Database,
  clientId: string,
  { accountId, emails }: Holder,
): Promise<Array<{ id: string; account_id: string | null }>> {
  return db
    .selectFrom('mappings')
    .select(['id', 'account_id'])
    .where('client_id', '=', clientId)
    .where('state', 'in', WAITING)
    .where((eb) =>
      eb.or([
        ...(accountId === undefined ? [] : [eb('account_id', '=', accountId)]),
        ...emails.map((email) => eb.and([eb('account_id', 'is', null), eb('account_email', '=', email)])),
      ]),
    )
    .orderBy('last_used_at', (order) => order.desc().nullsLast())
    .limit(TOKENS_MAX)
    .execute();
}

/** The ids of all tokens of an app, those that were used last first. */
export async function tokensOfApp(db: Database, clientId: string): Promise<string[]> {
  const rows = await db
    .selectFrom('mappings')
    .select('id')
    .where('client_id', '=', clientId)
    .orderBy('last_used_at', (order) => order.desc().nullsLast())
    .limit(TOKENS_MAX)
    .execute();
  return rows.map(({ id }) => id);
}

/** The account that owns an app; null while it is known by an address alone. */
export async function ownerOf(db: Database, clientId: string): Promise<string | null | undefined> {
  const row = await db
    .selectFrom('apps')
    .select('owner_account_id')
    .where('client_id', '=', clientId)
    .executeTakeFirst();
  return row?.owner_account_id;
}

/** Where a mail goes and which other one it replaces (`''` for none); undefined when there is no such mail. */
export async function findMail(
  db: Database,
  id: string,
): Promise<{ address: string | null; replaces: string } | undefined> {
  return db.selectFrom('mails').select(['address', 'replaces']).where('id', '=', id).executeTakeFirst();
}
