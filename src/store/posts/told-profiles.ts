import type { Soon } from '../../shared/and-then.ts';
import { lookUp } from '../driver/look-ups/look-up.ts';
import type { Store } from '../driver/store.ts';
import { ofDigest, PLAIN_TOKEN } from './plain-token.ts';
import { type ToldText, TOLD_TEXT } from './told-texts.ts';

/** A connected token with the text of `profiles.json` that its app was last told: all that a plain call needs. */
export interface ToldCall extends ToldText {
  /** The known lengths of the grant's lists, each line `ID LENGTH` (`lengthsIn`); null where none is known. */
  lengths: string | null;
}

/** One statement over both databases. */
const OF_TOKEN = lookUp(
  1,
  ([digest]) => `select ${PLAIN_TOKEN}, ${TOLD_TEXT},
  (select string_agg(list.id || ' ' || list.length, '\n') from post_answers list
    where list.grant_id = mappings.grant_id and list.length is not null and list.id not like '% since %') as lengths
  from mappings join apps using (client_id)
  left join told_profiles told on told.grant_id = mappings.grant_id
  ${ofDigest(digest)}`,
);

/** The token of this digest, if a grant stands behind it. */
export function findToldCall(store: Store, tokenDigest: string): Soon<ToldCall | undefined> {
  return store.firstSoon<ToldCall>(OF_TOKEN, [tokenDigest]);
}
