import { sql } from 'kysely';
import { isOneOf } from '../driver/many-rows.ts';
import type { Database } from '../driver/store.ts';
import { WAITING_STATES } from '../tables/tables.ts';

/** The data on a person's first page, beside the counts of tokens. */

export interface StoppedAppRow {
  client_id: string;
  reason: string | null;
  /** When the last token stopped. */
  at: number;
}

/** Why and when connections of an account ended whose tokens wait for a new connection, newest first. */
export async function listStopped(db: Database, accountId: string): Promise<StoppedAppRow[]> {
  return db
    .selectFrom('mappings')
    .select((eb) => ['client_id', 'reason', eb.fn.max('updated_at').as('at')])
    .where('account_id', '=', accountId)
    .where('state', '=', 'reauthorization_required')
    .groupBy(['client_id', 'reason'])
    .orderBy('at', 'desc')
    .execute();
}

/**
 * How many accounts, and addresses without an account, have a waiting token of an app, among the first `limit` waiting
 * tokens. The account that asks is left out.
 */
export async function countPeopleWaiting(
  db: Database,
  { clientId, besides }: { clientId: string; besides: string },
  limit: number,
): Promise<{ people: number; read: number }> {
  const person = sql<string>`case when account_id is null then 'email:' || account_email else account_id end`;
  const row = await db
    .selectFrom((eb) =>
      eb
        .selectFrom('mappings')
        .select(person.as('person'))
        .where('client_id', '=', clientId)
        .where('state', 'in', WAITING_STATES)
        .where((e) => e.or([e('account_id', 'is', null), e('account_id', '<>', besides)]))
        .limit(limit)
        .as('some'),
    )
    .select((eb) => eb.fn.countAll<number | string>().as('read'))
    .select(sql<number | string>`count(distinct person)`.as('people'))
    .executeTakeFirstOrThrow();
  return { people: Number(row.people), read: Number(row.read) };
}

/** Which of these apps have a waiting token. */
export async function appsWithWaiting(db: Database, clientIds: readonly string[]): Promise<string[]> {
  const rows = await db
    .selectFrom('apps')
    .select('client_id')
    .where(isOneOf(db, 'client_id', clientIds))
    .where((eb) =>
      eb.exists(
        eb
          .selectFrom('mappings')
          .select('mappings.id')
          .whereRef('mappings.client_id', '=', 'apps.client_id')
          .where('mappings.state', 'in', WAITING_STATES),
      ),
    )
    .execute();
  return rows.map(({ client_id }) => client_id);
}
