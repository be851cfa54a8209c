import { sql } from 'kysely';
import type { Soon } from '../../shared/and-then.ts';
import { lookUp } from '../driver/look-ups/look-up.ts';
import { isSqlite } from '../driver/many-rows.ts';
import type { Store } from '../driver/store.ts';
import { ofDigest, PLAIN_TOKEN, type PlainToken } from './plain-token.ts';
import { idOfAnswer, type PostAnswerName, WHEN_CHANGED } from './post-answers.ts';

/**
 * A connected token with a text of a list that its app was last told. Without one, its columns are null; `text` alone is null
 * where posts have changed since.
 */
export interface ToldListCall extends PlainToken {
  text: string | null;
  /** What the text depends on, beside its answers and the time. */
  key: string | null;
  /** When the page was read from the new API. */
  fetched_at: number | null;
  modern_client_id: string | null;
  valid_from: number | null;
  valid_until: number | null;
}

/** The list, and the profile id by which the app names it. */
export type NamedList = `${'pending' | 'sent'} ${string}`;

/** The text of a list may be long, so few of them are in memory at one time. */
const TEXTS_AT_ONCE = 16;

/**
 * One statement over both databases. A page that was not read after the last change of posts is out of date. That is looked at in a
 * column, once for the row: as a condition of the join PostgreSQL looked at it for every list, in a plan from the time of an
 * empty table.
 */
const OF_TOKEN = lookUp(
  2,
  ([
    list,
    digest,
  ]) => `select ${PLAIN_TOKEN}, told.key, told.fetched_at, told.modern_client_id, told.valid_from, told.valid_until,
  case when exists (select 1 from post_answers changed
    where changed.id = mappings.grant_id || ' ${WHEN_CHANGED}' and changed.fetched_at >= told.fetched_at)
    then null else told.text end as text
  from mappings join apps using (client_id)
  left join told_lists told on told.id = mappings.grant_id || ' ' || ${list}
  ${ofDigest(digest)}`,
  TEXTS_AT_ONCE,
);

/** The token of this digest, if a grant stands behind it, with the text of a list. */
export function findToldList(
  store: Store,
  tokenDigest: string,
  list: NamedList,
): Soon<ToldListCall | undefined> {
  return store.firstSoon<ToldListCall>(OF_TOKEN, [list, tokenDigest]);
}

/** A kept answer about a list as it was at one moment. */
export interface AnswerVersion {
  fetchedAt: number;
  length: number | null;
}

interface NewToldList {
  list: NamedList;
  /** The kept answer that the text was made of. */
  answer: PostAnswerName & AnswerVersion;
  /** The time of the answer about the account. */
  accountAt: number;
  modernClientId: string;
  fetchedAt: number;
  validFrom: number;
  validUntil: number;
  key: string;
  text: string;
}

/**
 * Keeps a text, if the two answers that it was made of are still the last ones. On PostgreSQL their rows are held
 * meanwhile: who replaces one finds the text afterwards, and drops it.
 */
export async function keepToldList(
  { volatile }: Store,
  { list, answer, accountAt, modernClientId, fetchedAt, validFrom, validUntil, key, text }: NewToldList,
): Promise<void> {
  const held = isSqlite(volatile) ? sql`` : sql`for share`;
  const isSameLength = answer.length === null ? sql`length is null` : sql`length = ${answer.length}`;
  await sql`insert into told_lists
    (id, answer_id, grant_id, modern_client_id, fetched_at, valid_from, valid_until, key, text)
    select grant_id || ' ' || ${list}, id, grant_id, ${modernClientId}, cast(${fetchedAt} as bigint),
      cast(${validFrom} as bigint), cast(${validUntil} as bigint), ${key}, ${text}
    from post_answers join answers using (grant_id)
    where id = ${idOfAnswer(answer)} and post_answers.fetched_at = ${answer.fetchedAt} and ${isSameLength}
      and answers.fetched_at = ${accountAt} ${held}
    on conflict (id) do update set answer_id = excluded.answer_id, modern_client_id = excluded.modern_client_id,
      fetched_at = excluded.fetched_at, valid_from = excluded.valid_from, valid_until = excluded.valid_until,
      key = excluded.key, text = excluded.text`.execute(volatile);
}
