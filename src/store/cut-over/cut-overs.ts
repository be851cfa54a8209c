import type { Database } from '../driver/store.ts';

/** How far apps are cut over to the new API before the retirement. */

export interface CutOver {
  clientId: string;
  percent: number;
  /** The percentage before the change. */
  before: number;
  reason: string;
  by: string;
  now: number;
}

/** How far an app is cut over; undefined when the app is unknown. */
export async function cutOverOf(db: Database, clientId: string) {
  return db
    .selectFrom('apps')
    .select(['cut_over_percent', 'cut_over_reason', 'cut_over_by', 'cut_over_at'])
    .where('client_id', '=', clientId)
    .executeTakeFirst();
}

/** Changes the percentage; false when the present percentage is not `before`. */
export async function changeCutOver(
  tx: Database,
  { clientId, percent, before, reason, by, now }: CutOver,
): Promise<boolean> {
  const changed = await tx
    .updateTable('apps')
    .set({
      cut_over_percent: percent,
      cut_over_reason: reason,
      cut_over_by: by,
      cut_over_at: now,
    })
    .where('client_id', '=', clientId)
    .where('cut_over_percent', '=', before)
    .executeTakeFirst();
  return changed.numUpdatedRows === 1n;
}
