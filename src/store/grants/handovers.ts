import { type RawBuilder, type Selectable, sql, type SqlBool } from 'kysely';
import type { ExistingTokenTables } from '../tables/existing-token-tables.ts';
import { isOriginal, type SeenInstance } from '../instance/instance.ts';
import type { Database } from '../driver/store.ts';
import type { Grant, GrantVersion } from '../tables/tables.ts';

/** Grants that were handed over to their app. One conditional update moves the ownership of the pair. */

export type Handover = Selectable<ExistingTokenTables['handovers']>;

/**
 * Gives version v to the app, if the version is ready (not presented, in doubt or ended) and the database is the
 * original. The sealed pair stays in the row for repeats of the call.
 */
export async function claimHandover(
  tx: Database,
  { id, version }: GrantVersion,
  { now, instance }: { now: number; instance: SeenInstance },
): Promise<boolean> {
  const result = await tx
    .updateTable('grants')
    .set({ state: 'dead', dead_cause: 'handed_over', dead_at: now, updated_at: now })
    .where('id', '=', id)
    .where('version', '=', version)
    .where('state', '=', 'ready')
    .where(isOriginal(instance))
    .executeTakeFirst();
  return result.numUpdatedRows === 1n;
}

/** Keeps the record of a hand-over. */
export async function insertHandover(tx: Database, handover: Handover): Promise<void> {
  await tx.insertInto('handovers').values(handover).execute();
}

/** The hand-over of a grant; when `grantId` is null, the last hand-over of an app and account. */
export async function findHandover(
  db: Database,
  { clientId, accountId }: { clientId: string; accountId: string },
  grantId: string | null,
): Promise<Handover | undefined> {
  let query = db
    .selectFrom('handovers')
    .selectAll()
    .where('client_id', '=', clientId)
    .where('account_id', '=', accountId);
  if (grantId !== null) query = query.where('grant_id', '=', grantId);
  return query.orderBy('handed_at', 'desc').limit(1).executeTakeFirst();
}

/** The hand-over of one grant. */
export async function findHandoverOf(db: Database, grantId: string): Promise<Handover | undefined> {
  return db.selectFrom('handovers').selectAll().where('grant_id', '=', grantId).executeTakeFirst();
}

/**
 * The app has stored its pair safely, so nobody gets the pair from here any more. The sealed pair is erased with those of
 * other ended grants, so that a confirmation by mistake can be taken back. False when the hand-over was confirmed before.
 */
export async function confirmHandover(tx: Database, grantId: string, now: number): Promise<boolean> {
  const result = await tx
    .updateTable('handovers')
    .set({ confirmed_at: now })
    .where('grant_id', '=', grantId)
    .where('confirmed_at', 'is', null)
    .executeTakeFirst();
  return result.numUpdatedRows === 1n;
}

/** Takes a confirmation back, if it is the one of this time and the sealed pair is still kept. */
export async function unconfirmHandover(
  tx: Database,
  grantId: string,
  confirmedAt: number,
): Promise<boolean> {
  const result = await tx
    .updateTable('handovers')
    .set({ confirmed_at: null })
    .where('grant_id', '=', grantId)
    .where('confirmed_at', '=', confirmedAt)
    .where((eb) =>
      eb.exists(
        eb
          .selectFrom('grants')
          .select('id')
          .where('id', '=', grantId)
          .where('dead_cause', '=', 'handed_over')
          .where('refresh_token_sealed', 'is not', null),
      ),
    )
    .executeTakeFirst();
  return result.numUpdatedRows === 1n;
}

/**
 * Whether the app has confirmed a later hand-over of the account than the one in a table or alias of a statement. Nobody
 * waits for the earlier one then.
 */
export const isSuperseded = (handover: string): RawBuilder<SqlBool> => {
  const column = (name: string) => sql.ref(`${handover}.${name}`);
  return sql`exists (select 1 from handovers later
    where later.client_id = ${column('client_id')} and later.account_id = ${column('account_id')}
      and later.handed_at > ${column('handed_at')} and later.confirmed_at is not null)`;
};

/**
 * Hand-overs that somebody waits for, with the sealed refresh token where the pair is still kept. Without those of retired
 * apps, which cannot confirm.
 */
const unconfirmed = (db: Database) =>
  db
    .selectFrom('handovers')
    .innerJoin('grants', 'grants.id', 'handovers.grant_id')
    .innerJoin('apps', 'apps.client_id', 'handovers.client_id')
    .select(['handovers.grant_id', 'handovers.client_id', 'handovers.account_id', 'handovers.handed_at'])
    .select(['handovers.migrated_tokens', 'apps.name', 'grants.refresh_token_sealed'])
    .where('handovers.confirmed_at', 'is', null)
    .where('apps.retired_at', 'is', null)
    .where(sql<SqlBool>`not ${isSuperseded('handovers')}`);

/** Hand-overs that no app has confirmed, the newest first, at most `limit`. */
export async function listUnconfirmed(db: Database, limit: number) {
  return unconfirmed(db).orderBy('handovers.handed_at', 'desc').limit(limit).execute();
}

/** Hand-overs that no app has confirmed, in the order of their grants, after one. */
export async function listUnconfirmedAfter(db: Database, after: string, limit: number) {
  return unconfirmed(db)
    .where('handovers.grant_id', '>', after)
    .orderBy('handovers.grant_id')
    .limit(limit)
    .execute();
}

/**
 * Erases at most `limit` pairs that were handed over before the given time and never confirmed by their app; returns
 * their grants.
 */
export async function eraseUnconfirmedBefore(
  tx: Database,
  { time, limit }: { time: number; limit: number },
): Promise<Array<Pick<Grant, 'id' | 'client_id' | 'account_id'>>> {
  const due = tx
    .selectFrom('grants')
    .select('id')
    .where('state', '=', 'dead')
    .where('dead_at', '<', time)
    .where('refresh_token_sealed', 'is not', null)
    .where('id', 'in', (eb) =>
      eb.selectFrom('handovers').select('grant_id').where('confirmed_at', 'is', null),
    )
    .orderBy('dead_at')
    .limit(limit);
  return tx
    .updateTable('grants')
    .set({ access_token_sealed: null, refresh_token_sealed: null })
    .where('id', 'in', due)
    .returning(['id', 'client_id', 'account_id'])
    .execute();
}
