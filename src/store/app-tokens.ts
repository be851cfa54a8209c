import type { Database } from './store.ts';
import type { MappingState } from './tables.ts';

/** The tokens of one app as its pages show them, and how far the app has moved. */

/** The tokens of an app, or of one account of it. */
export interface TokensOf {
  clientId: string;
  accountId?: string;
}

/** A page of them in the order of their ids, after one of them; with what stands behind each. */
export async function listTokens(
  db: Database,
  { clientId, accountId }: TokensOf,
  { after, limit }: { after: string; limit: number },
) {
  return db
    .selectFrom('mappings as m')
    .leftJoin('accounts as c', 'c.account_id', 'm.account_id')
    .leftJoin('grants as g', 'g.id', 'm.grant_id')
    .select([
      'm.id',
      'm.hint_first',
      'm.hint_last',
      'm.account_id',
      'm.account_email',
      'm.state',
      'm.reason',
      'm.source',
      'm.last_used_at',
      'c.name as account_name',
      'g.state as grant_state',
    ])
    .where('m.client_id', '=', clientId)
    .$if(accountId !== undefined, (query) => query.where('m.account_id', '=', accountId ?? ''))
    .where('m.id', '>', after)
    .orderBy('m.id')
    .limit(limit)
    .execute();
}

/** One row of a page of tokens. */
export type TokenRow = Awaited<ReturnType<typeof listTokens>>[number];

/** How many of the first tokens of an app are in each state; states without a token have no row. */
export async function countFirst(
  db: Database,
  clientId: string,
  limit: number,
): Promise<Array<{ state: MappingState; n: number }>> {
  const first = db
    .selectFrom('mappings')
    .select('state')
    .where('client_id', '=', clientId)
    .orderBy('id')
    .limit(limit);
  return db
    .selectFrom(first.as('first'))
    .select((eb) => ['first.state', eb.fn.countAll<number>().as('n')])
    .groupBy('first.state')
    .execute();
}

/** How many live grants an app has by the modern client that they were obtained with. */
export async function countGrants(
  db: Database,
  clientId: string,
): Promise<Array<{ modern_client_id: string; n: number }>> {
  return db
    .selectFrom('grants')
    .select((eb) => ['modern_client_id', eb.fn.countAll<number>().as('n')])
    .where('client_id', '=', clientId)
    .where('state', '<>', 'dead')
    .groupBy('modern_client_id')
    .execute();
}

/** How many grants an app has taken over, and of how many it has confirmed that it has them. */
export async function countHandovers(
  db: Database,
  clientId: string,
): Promise<{ handed: number; confirmed: number }> {
  return db
    .selectFrom('handovers')
    .select((eb) => [
      eb.fn.countAll<number>().as('handed'),
      eb.fn.count<number>('confirmed_at').as('confirmed'),
    ])
    .where('client_id', '=', clientId)
    .executeTakeFirstOrThrow();
}
