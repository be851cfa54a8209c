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

/** How far an app is cut over, as its row holds it. */
export type CutOverRow = NonNullable<Awaited<ReturnType<typeof cutOverOf>>>;

/** Puts the percentage back as it was, if it stands as it was left by one change. */
export async function restoreCutOver(
  tx: Database,
  clientId: string,
  { left, was }: { left: CutOverRow; was: CutOverRow },
): Promise<boolean> {
  const restored = await tx
    .updateTable('apps')
    .set(was)
    .where('client_id', '=', clientId)
    .where('cut_over_percent', '=', left.cut_over_percent)
    .where('cut_over_at', 'is not distinct from', left.cut_over_at)
    .where('cut_over_by', 'is not distinct from', left.cut_over_by)
    .executeTakeFirst();
  return restored.numUpdatedRows === 1n;
}
