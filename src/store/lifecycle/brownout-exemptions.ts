import type { Insertable } from 'kysely';
import type { LifecycleTables } from '../tables/lifecycle.ts';
import type { Database } from '../driver/store.ts';

/** Apps that are exempt from the brownouts of all apps. At most one exemption per app is in force. */

/** Ends the exemption in force; returns its planned end, or undefined when there was none. */
export async function endExemptionOf(
  tx: Database,
  { clientId, now, by }: { clientId: string; now: number; by: string },
): Promise<number | undefined> {
  const row = await tx
    .updateTable('brownout_exemptions')
    .set({ ended_at: now, ended_by: by })
    .where('client_id', '=', clientId)
    .where('ended_at', 'is', null)
    .returning('until')
    .executeTakeFirst();
  return row?.until;
}

/** Adds an exemption. The app must have none in force. */
export async function insertExemption(
  tx: Database,
  exemption: Insertable<LifecycleTables['brownout_exemptions']>,
): Promise<void> {
  await tx.insertInto('brownout_exemptions').values(exemption).execute();
}

/** The exemptions in force with the names of their apps, the earliest end first. */
export async function listExemptions(db: Database) {
  return db
    .selectFrom('brownout_exemptions')
    .innerJoin('apps', 'apps.client_id', 'brownout_exemptions.client_id')
    .selectAll('brownout_exemptions')
    .select('apps.name as app_name')
    .where('brownout_exemptions.ended_at', 'is', null)
    .orderBy('brownout_exemptions.until')
    .orderBy('brownout_exemptions.id')
    .execute();
}
