import { sql } from 'kysely';
import type { Database } from './store.ts';
import { type MappingState, WAITING_STATES } from './tables.ts';

/** What the first page of a person reads beside the counts of tokens. */

export interface StoppedRow {
  client_id: string;
  reason: string | null;
  /** When the last of them stopped. */
  at: number;
}

/** Why and when connections of an account ended whose tokens wait for a new one, the newest first. */
export async function listStopped(db: Database, accountId: string): Promise<StoppedRow[]> {
  return db
    .selectFrom('mappings')
    .select((eb) => ['client_id', 'reason', eb.fn.max('updated_at').as('at')])
    .where('account_id', '=', accountId)
    .where('state', '=', 'reauthorization_required')
    .groupBy(['client_id', 'reason'])
    .orderBy('at', 'desc')
    .execute();
}

export interface FirstTokens {
  state: MappingState;
  n: number;
  /** Accounts, and addresses without one, that wait; the one that asks is left out. */
  people: number;
}

/** Some tokens of an app, `limit` at most, by state; a page that is opened has no time for all of very many. */
export async function countFirstTokens(
  db: Database,
  { clientId, besides }: { clientId: string; besides: string },
  limit: number,
): Promise<FirstTokens[]> {
  const person = sql`case when account_id is null then 'email:' || account_email else account_id end`;
  const others = sql`state in (${sql.join(WAITING_STATES)}) and (account_id is null or account_id <> ${besides})`;
  const rows = await db
    .selectFrom((eb) =>
      eb
        .selectFrom('mappings')
        .select(['state', 'account_id', 'account_email'])
        .where('client_id', '=', clientId)
        .limit(limit)
        .as('some'),
    )
    .select((eb) => ['state', eb.fn.countAll<number | string>().as('n')])
    .select(sql<number | string>`count(distinct case when ${others} then ${person} end)`.as('people'))
    .groupBy('state')
    .execute();
  return rows.map(({ state, n, people }) => ({ state, n: Number(n), people: Number(people) }));
}
