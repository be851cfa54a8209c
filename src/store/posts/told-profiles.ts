import { sql } from 'kysely';
import type { Soon } from '../../shared/and-then.ts';
import { lookUp } from '../driver/look-ups/look-up.ts';
import { isSqlite } from '../driver/many-rows.ts';
import type { Store } from '../driver/store.ts';
import { ofDigest, PLAIN_TOKEN, type PlainToken } from './plain-token.ts';

/** A connected token with the text of `profiles.json` that its app was last told: all that a plain call needs. */
export interface ToldCall extends PlainToken {
  /** The text; the columns of the text are null until one was kept. */
  text: string | null;
  /** What the text depends on. */
  key: string | null;
  /** The time of the answer of the new API. */
  fetched_at: number | null;
  modern_client_id: string | null;
  /** Whether any list of the grant has a known length: 0 or 1. */
  has_lengths: number;
}

/** One statement over both databases. */
const OF_TOKEN = lookUp(
  1,
  ([digest]) => `select ${PLAIN_TOKEN}, told.text, told.key, told.fetched_at, told.modern_client_id,
  case when exists (select 1 from post_answers p where p.grant_id = mappings.grant_id and p.length is not null)
    then 1 else 0 end as has_lengths
  from mappings join apps using (client_id)
  left join told_profiles told on told.grant_id = mappings.grant_id
  ${ofDigest(digest)}`,
);

/** The token of this digest, if a grant stands behind it. */
export function findToldCall(store: Store, tokenDigest: string): Soon<ToldCall | undefined> {
  return store.firstSoon<ToldCall>(OF_TOKEN, [tokenDigest]);
}

interface NewToldProfiles {
  grantId: string;
  modernClientId: string;
  fetchedAt: number;
  text: string;
  key: string;
}

/**
 * Keeps a text, if the answer that it was made of is still the last one. On PostgreSQL the row of the answer is held
 * meanwhile: an answer that replaces it finds the text afterwards, and drops it.
 */
export async function keepToldProfiles(
  { volatile }: Store,
  { grantId, modernClientId, fetchedAt, text, key }: NewToldProfiles,
): Promise<void> {
  const held = isSqlite(volatile) ? sql`` : sql`for share`;
  await sql`insert into told_profiles (grant_id, modern_client_id, fetched_at, key, text)
    select grant_id, ${modernClientId}, fetched_at, ${key}, ${text} from answers
    where grant_id = ${grantId} and fetched_at = ${fetchedAt} ${held}
    on conflict (grant_id) do update set modern_client_id = excluded.modern_client_id,
    fetched_at = excluded.fetched_at, key = excluded.key, text = excluded.text`.execute(volatile);
}
