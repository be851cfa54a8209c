import { isOneOf } from '../driver/many-rows.ts';
import type { Database } from '../driver/store.ts';
import type { MappingState } from '../tables/tables.ts';

/** A token as a message names it: the first and last characters, which an imported token may lack, the app and the state. */
interface NamedToken {
  first: string | null;
  last: string | null;
  clientId: string;
  state: MappingState;
}

/** These tokens by mapping id. */
export async function readNamedTokens(
  db: Database,
  mappingIds: readonly string[],
): Promise<Map<string, NamedToken>> {
  if (mappingIds.length === 0) return new Map();
  const rows = await db
    .selectFrom('mappings')
    .select(['id', 'hint_first as first', 'hint_last as last', 'client_id as clientId', 'state'])
    .where(isOneOf(db, 'id', mappingIds))
    .execute();
  return new Map(rows.map(({ id, ...hint }) => [id, hint]));
}
