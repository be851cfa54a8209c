import type { Grant } from '../../store/tables/tables.ts';

/** Whether the grant has not been presented since a take-over put it in doubt. */
export function isOfTakeOver({
  restored_at: restoredAt,
  presented_at: presentedAt,
}: Pick<Grant, 'restored_at' | 'presented_at'>): boolean {
  return restoredAt !== null && restoredAt === presentedAt;
}
