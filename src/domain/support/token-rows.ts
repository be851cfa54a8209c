import type { MappingRow } from '../../store/tokens/find-mappings.ts';
import { mappingsByIds } from '../../store/support/support-app.ts';
import { usageOf } from '../usage/usage.ts';
import type { SupportDeps } from './deps.ts';

/** Rows of lists of tokens, with their last use. */

export interface ListedTokenRow {
  row: MappingRow;
  /** Exact for the last month, to the day before it. */
  lastUsed: number | undefined;
}

/** The last use counts back so many days. What was used earlier is known to the day. */
const DAYS = 30;

/** Adds the last use to rows, in their order. */
export async function withLastUse(
  context: SupportDeps,
  rows: readonly MappingRow[],
): Promise<ListedTokenRow[]> {
  const ids = rows.map(({ id }) => id);
  const usage = await usageOf(context, ids, { days: DAYS });
  return rows.map((row) => ({ row, lastUsed: usage.get(row.id)?.lastSeen ?? row.last_used_at ?? undefined }));
}

/** The rows of tokens by their ids, in this order. */
export async function tokenRowsOf(context: SupportDeps, ids: readonly string[]): Promise<ListedTokenRow[]> {
  const rows = ids.length === 0 ? [] : await mappingsByIds(context.store.durable, ids);
  const byId = new Map(rows.map((row) => [row.id, row]));
  return withLastUse(
    context,
    ids.flatMap((id) => byId.get(id) ?? []),
  );
}
