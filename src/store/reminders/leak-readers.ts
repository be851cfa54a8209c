import { sql } from 'kysely';
import { isOneOf, isSqlite } from '../driver/many-rows.ts';
import type { Database } from '../driver/store.ts';
import type { MailState } from '../tables/lifecycle.ts';

/** Who has to be told of leaked tokens, and who has been told. */

/** The stage of a mail about a leaked token in the ledger. `planned_for` is the mapping id. */
export const LEAKED_STAGE = 'leaked';

/** A leaked token with its present holder, and the present owner of its app. */
export interface LeakWithReaders {
  mapping_id: string;
  client_id: string;
  account_id: string | null;
  account_email: string | null;
  /** Both null of an unidentified program, which nobody owns. */
  owner_account_id: string | null;
  owner_email: string | null;
  retired_at: number | null;
}

/** An unidentified program has no owner, whatever its row says. */
const ofOwner = (column: 'owner_account_id' | 'owner_email') =>
  sql<string | null>`case when a.source <> 'observed' then ${sql.ref(`a.${column}`)} end`;

const withReaders = (db: Database) =>
  db
    .selectFrom('leaked_tokens as l')
    .innerJoin('mappings as m', 'm.id', 'l.mapping_id')
    .innerJoin('apps as a', 'a.client_id', 'm.client_id')
    .select(['l.mapping_id', 'm.client_id', 'm.account_id', 'm.account_email', 'a.retired_at'])
    .select([ofOwner('owner_account_id').as('owner_account_id'), ofOwner('owner_email').as('owner_email')]);

/**
 * The tokens after this one of which somebody may have to be told still. Those of retired apps too: a statement that passes
 * over them would read any number of them to find one of another app.
 */
export async function listUntoldLeaks(
  db: Database,
  after: string,
  limit: number,
): Promise<LeakWithReaders[]> {
  return withReaders(db)
    .where('l.told_at', 'is', null)
    .where('l.mapping_id', '>', after)
    .orderBy('l.mapping_id')
    .limit(limit)
    .execute();
}

/** These leaked tokens with whoever has to be told of them now. */
export async function listWithReaders(
  db: Database,
  mappingIds: readonly string[],
): Promise<LeakWithReaders[]> {
  return withReaders(db)
    .where(isOneOf(db, 'l.mapping_id', mappingIds))
    .execute();
}

/** A mail about a leaked token that was planned. */
export interface PlannedLeakMail {
  mapping_id: string;
  person: string;
  role: string;
  state: MailState;
}

/** The mails about these tokens that were not dropped. */
export async function listLeakMails(db: Database, mappingIds: readonly string[]): Promise<PlannedLeakMail[]> {
  return db
    .selectFrom('reminders as r')
    .innerJoin('mails as m', 'm.id', 'r.mail_id')
    .select(['r.planned_for as mapping_id', 'r.person', 'r.role', 'm.state'])
    .where('r.stage', '=', sql.lit(LEAKED_STAGE))
    .where(isOneOf(db, 'r.planned_for', mappingIds))
    .where('r.dropped_at', 'is', null)
    .execute();
}

/** The mails about leaked tokens that wait for the end of a turn, of some people, up to the end of the transaction. */
export async function openLeakMails(
  tx: Database,
  people: readonly string[],
  now: number,
): Promise<Array<{ id: string; person: string }>> {
  return (
    tx
      .selectFrom('mails as m')
      .select(['m.id', 'm.person'])
      .where(isOneOf(tx, 'm.person', people))
      // Repeats the condition of the index mails_once_a_day.
      .where('m.state', '<>', sql.lit('dropped'))
      .where('m.state', '=', 'due')
      .where('m.attempts', '=', 0)
      .where('m.next_at', '>', now)
      .where((eb) =>
        eb.exists(
          eb
            .selectFrom('reminders as r')
            .select('r.id')
            .whereRef('r.mail_id', '=', 'm.id')
            .where('r.stage', '=', sql.lit(LEAKED_STAGE)),
        ),
      )
      // Nobody claims it meanwhile. SQLite runs writing transactions one after the other.
      .$if(!isSqlite(tx), (query) => query.forUpdate('m'))
      .execute()
  );
}

/** Lets the mails of a turn leave that waited for its end. */
export async function releaseLeakMails(
  db: Database,
  { now, leaveAt }: { now: number; leaveAt: number },
): Promise<void> {
  await db
    .updateTable('mails')
    .set({ next_at: now })
    // Repeats the condition of the index mails_by_next.
    .where(sql<boolean>`state in ('due', 'sending')`)
    .where('state', '=', 'due')
    .where('next_at', '=', leaveAt)
    .where('created_at', '=', now)
    .execute();
}

/** Marks tokens of which nobody is left to be told. */
export async function markTold(db: Database, mappingIds: readonly string[], now: number): Promise<void> {
  await db
    .updateTable('leaked_tokens')
    .set({ told_at: now })
    .where(isOneOf(db, 'mapping_id', mappingIds))
    .where('told_at', 'is', null)
    .execute();
}

/** The tokens of a mail, with their apps. */
export async function listLeakedOf(db: Database, mappingIds: readonly string[]) {
  return db
    .selectFrom('mappings as m')
    .innerJoin('apps as a', 'a.client_id', 'm.client_id')
    .select([
      'm.id',
      'm.client_id',
      'm.state',
      'm.account_id',
      'm.hint_last',
      'm.last_used_at',
      'a.name as app_name',
      'a.owner_account_id',
    ])
    .where(isOneOf(db, 'm.id', mappingIds))
    .orderBy('a.name')
    .orderBy('m.id')
    .execute();
}

/** A token of a mail about leaked tokens. */
export type LeakedToken = Awaited<ReturnType<typeof listLeakedOf>>[number];
