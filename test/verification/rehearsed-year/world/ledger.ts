import type { Store } from '../../../../src/store/driver/store.ts';
import { keyOf } from '../oracle/oracle-due.ts';

/** What the bridge's own ledger says, to be compared with what arrived. */

export interface LedgerMail {
  id: string;
  person: string;
  state: string;
  /** What it is about, by `keyOf`. */
  keys: string[];
}

const AT_ONCE = 500;

async function withKeys(
  { durable }: Store,
  mails: ReadonlyArray<Omit<LedgerMail, 'keys'>>,
): Promise<LedgerMail[]> {
  const found = new Map(mails.map((mail): [string, LedgerMail] => [mail.id, { ...mail, keys: [] }]));
  const ids = [...found.keys()];
  for (let from = 0; from < ids.length; from += AT_ONCE) {
    const rows = await durable
      .selectFrom('reminders')
      .select(['mail_id', 'client_id', 'role', 'stage', 'planned_for'])
      .where('mail_id', 'in', ids.slice(from, from + AT_ONCE))
      .where('dropped_at', 'is', null)
      .execute();
    for (const row of rows)
      found.get(row.mail_id)?.keys.push(keyOf(row.client_id, row.role, row.stage, row.planned_for));
  }
  return [...found.values()];
}

/** The mails of these ids. */
export async function ledgerMails(store: Store, ids: readonly string[]): Promise<LedgerMail[]> {
  const mails: Array<Omit<LedgerMail, 'keys'>> = [];
  for (let from = 0; from < ids.length; from += AT_ONCE)
    mails.push(
      ...(await store.durable
        .selectFrom('mails')
        .select(['id', 'person', 'state'])
        .where('id', 'in', ids.slice(from, from + AT_ONCE))
        .execute()),
    );
  return withKeys(store, mails);
}

/** What was written down as undeliverable from this moment on. */
export async function listedSince(store: Store, since: number): Promise<LedgerMail[]> {
  const mails = await store.durable
    .selectFrom('mails')
    .select(['id', 'person', 'state'])
    .where('state', '=', 'undeliverable')
    .where('ended_at', '>=', since)
    .execute();
  return withKeys(store, mails);
}

/** How many mails are in the hands of a machine. */
export async function countClaimed({ durable }: Store): Promise<number> {
  const row = await durable
    .selectFrom('mails')
    .select((eb) => eb.fn.countAll<number>().as('n'))
    .where('state', '=', 'sending')
    .executeTakeFirstOrThrow();
  return row.n;
}

/** Every mail that is not dropped: whose it is and how it ended. */
export async function allMails({ durable }: Store): Promise<Array<Omit<LedgerMail, 'keys'>>> {
  return durable.selectFrom('mails').select(['id', 'person', 'state']).execute();
}
