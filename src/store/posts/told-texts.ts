import { sql } from 'kysely';
import { isSqlite } from '../driver/many-rows.ts';
import type { Store } from '../driver/store.ts';
import type { PlainToken } from './plain-token.ts';

/**
 * The texts that are made of the answer about an account alone. The text of each call has a table of its own, with a row
 * for each grant; the database drops a text with its answer.
 */

/** A connected token with a text that its app was last told. Without one, the columns of the text are null. */
export interface ToldText extends PlainToken {
  text: string | null;
  /** What the text depends on. */
  key: string | null;
  /** The time of the answer of the new API. */
  fetched_at: number | null;
  modern_client_id: string | null;
}

/** The columns of a text in a table that a statement names `told`. */
export const TOLD_TEXT = 'told.text, told.key, told.fetched_at, told.modern_client_id';

interface NewToldText {
  grantId: string;
  modernClientId: string;
  /** The time of the answer that the text was made of (Unix milliseconds). */
  fetchedAt: number;
  text: string;
  key: string;
}

/**
 * Keeps a text, if the answer that it was made of is still the last one. On PostgreSQL the row of the answer is held
 * meanwhile: an answer that replaces it finds the text afterwards, and drops it.
 */
export async function keepToldText(
  { volatile }: Store,
  table: 'told_profiles' | 'told_users',
  { grantId, modernClientId, fetchedAt, text, key }: NewToldText,
): Promise<void> {
  const held = isSqlite(volatile) ? sql`` : sql`for share`;
  await sql`insert into ${sql.table(table)} (grant_id, modern_client_id, fetched_at, key, text)
    select grant_id, ${modernClientId}, fetched_at, ${key}, ${text} from answers
    where grant_id = ${grantId} and fetched_at = ${fetchedAt} ${held}
    on conflict (grant_id) do update set modern_client_id = excluded.modern_client_id,
    fetched_at = excluded.fetched_at, key = excluded.key, text = excluded.text`.execute(volatile);
}
