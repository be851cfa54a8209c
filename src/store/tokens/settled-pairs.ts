import { type SqlBool, sql } from 'kysely';
import type { Pair } from './mappings.ts';
import { isOneOf } from '../driver/many-rows.ts';
import type { Database } from '../driver/store.ts';

/** Apps and accounts of which it is decided where their tokens go: onto a grant, or away with one. */

/** Written out, for so the index of an account's grants at the modern side holds exactly these. */
const isSettled = sql<SqlBool>`(state <> 'dead' or dead_cause = 'handed_over')`;

/** The apps and these accounts that have a live grant, or that had one which the app took over; some twice. */
export async function settledPairs(tx: Database, accountIds: readonly string[]): Promise<Pair[]> {
  return tx
    .selectFrom('grants')
    .select(['client_id as clientId', 'account_id as accountId'])
    .where(isOneOf(tx, 'account_id', accountIds))
    .where(isSettled)
    .orderBy('client_id')
    .orderBy('account_id')
    .execute();
}

/** The id of the grant that an app took over and after which the pair had no other one. */
export async function findTakenGrant(
  tx: Database,
  { clientId, accountId }: Pair,
): Promise<string | undefined> {
  const row = await tx
    .selectFrom('handovers')
    .select('grant_id')
    .where('client_id', '=', clientId)
    .where('account_id', '=', accountId)
    .where((taken) =>
      taken.not(
        taken.exists(
          taken
            .selectFrom('grants')
            .select('grants.id')
            .where('grants.client_id', '=', clientId)
            .where('grants.account_id', '=', accountId)
            .whereRef('grants.id', '<>', 'handovers.grant_id')
            .where((later) =>
              later.or([
                later('grants.state', '<>', 'dead'),
                later('grants.created_at', '>=', later.ref('handovers.handed_at')),
              ]),
            ),
        ),
      ),
    )
    .executeTakeFirst();
  return row?.grant_id;
}
