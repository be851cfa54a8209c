import { type Selectable, type SqlBool, sql } from 'kysely';
import type { AppAccount } from './mappings.ts';
import { isOneOf } from '../driver/many-rows.ts';
import type { Database } from '../driver/store.ts';
import type { Grant, Tables } from '../tables/tables.ts';

/** Apps and accounts whose tokens have a settled destination: a live grant, or a hand-over. */

type Handover = Selectable<Tables['handovers']>;

/** Written out, because the index of an account's grants at the new API has exactly this condition. */
const isSettled = sql<SqlBool>`(state <> 'dead' or dead_cause = 'handed_over')`;

/** The pairs of these accounts with a live or handed-over grant. A pair may appear twice. */
export async function settledPairs(tx: Database, accountIds: readonly string[]): Promise<AppAccount[]> {
  return tx
    .selectFrom('grants')
    .select(['client_id as clientId', 'account_id as accountId'])
    .where(isOneOf(tx, 'account_id', accountIds))
    .where(isSettled)
    .orderBy('client_id')
    .orderBy('account_id')
    .execute();
}

/** The whole rows of these grants, and the hand-overs that still decide about tokens. */
export async function settledRows(
  db: Database,
  accountIds: readonly string[],
): Promise<{ grants: Grant[]; handovers: Handover[] }> {
  const grants = await db
    .selectFrom('grants')
    .selectAll()
    .where(isOneOf(db, 'account_id', accountIds))
    .where(isSettled)
    .execute();
  const taken: string[] = [];
  for (const grant of grants.filter(({ state }) => state === 'dead')) {
    const pair = { clientId: grant.client_id, accountId: grant.account_id };
    if ((await findTakenGrant(db, pair)) === grant.id) taken.push(grant.id);
  }
  const handovers = db
    .selectFrom('handovers')
    .selectAll()
    .where(isOneOf(db, 'grant_id', taken));
  return { grants, handovers: taken.length === 0 ? [] : await handovers.execute() };
}

/** The grant that an app took over, if the pair has no other live grant and got none after the hand-over. */
export async function findTakenGrant(
  tx: Database,
  { clientId, accountId }: AppAccount,
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
