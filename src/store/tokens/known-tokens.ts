import { isOneOf } from '../driver/many-rows.ts';
import type { Store } from '../driver/store.ts';
import type { Mapping } from '../tables/tables.ts';

/** The data of a token for people who watch its calls. */
export type KnownToken = Pick<
  Mapping,
  'id' | 'token_digest' | 'client_id' | 'account_id' | 'state' | 'hint_first' | 'hint_last'
>;

/** The tokens with any of these digests, of live apps, in one statement. */
export async function listByDigests(
  { durable }: Pick<Store, 'durable'>,
  digests: readonly string[],
): Promise<KnownToken[]> {
  return durable
    .selectFrom('mappings as m')
    .innerJoin('apps as a', 'a.client_id', 'm.client_id')
    .select([
      'm.id',
      'm.token_digest',
      'm.client_id',
      'm.account_id',
      'm.state',
      'm.hint_first',
      'm.hint_last',
    ])
    .where(isOneOf(durable, 'm.token_digest', digests))
    .where('a.retired_at', 'is', null)
    .execute();
}
