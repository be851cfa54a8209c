import type { Soon } from '../../shared/and-then.ts';
import type { Store } from '../driver/store.ts';
import type { App, Mapping } from '../tables/tables.ts';

/** A connected token with the text of `profiles.json` that its app was last told: all that a plain call needs. */
export interface ToldCall
  extends Pick<
    Mapping,
    | 'id'
    | 'client_id'
    | 'account_id'
    | 'state'
    | 'reason'
    | 'source'
    | 'app_proven'
    | 'hint_first'
    | 'hint_last'
  > {
  app_source: App['source'];
  grant_id: string;
  modern_client_id: string;
  /** The text; null until one was kept. */
  text: string | null;
  /** What the text depends on. */
  key: string | null;
  /** The time of the answer of the new API; null where there is none. */
  fetched_at: number | null;
  /** How many lists of the grant have a known length. */
  lengths: number;
}

/** One statement over both databases: the state of the token is read on every call, as `findMapping` does. */
const OF_TOKEN = `select mappings.id, mappings.client_id, mappings.account_id, mappings.grant_id, mappings.state,
  mappings.reason, mappings.source, mappings.app_proven, hint_first, hint_last, apps.source as app_source,
  grants.modern_client_id, told_profiles as text, told_profiles_key as key, answers.fetched_at,
  (select count(*) from post_answers p where p.grant_id = mappings.grant_id and p.length is not null) as lengths
  from mappings join apps using (client_id) join grants on grants.id = mappings.grant_id
  left join answers on answers.grant_id = mappings.grant_id
  where retired_at is null and token_digest = $1`;

/** The token of this digest, if a grant stands behind it. */
export function findToldCall(store: Store, tokenDigest: string): Soon<ToldCall | undefined> {
  return store.firstSoon<ToldCall>(OF_TOKEN, [tokenDigest]);
}

interface NewToldProfiles {
  grantId: string;
  fetchedAt: number;
  text: string;
  key: string;
}

/** Keeps a text, if the answer that it was made of is still the last one. */
export async function keepToldProfiles(
  { volatile }: Store,
  { grantId, fetchedAt, text, key }: NewToldProfiles,
): Promise<void> {
  await volatile
    .updateTable('answers')
    .set({ told_profiles: text, told_profiles_key: key })
    .where('grant_id', '=', grantId)
    .where('fetched_at', '=', fetchedAt)
    .execute();
}
