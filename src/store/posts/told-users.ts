import type { Soon } from '../../shared/and-then.ts';
import { lookUp } from '../driver/look-ups/look-up.ts';
import type { Store } from '../driver/store.ts';
import { ofDigest, PLAIN_TOKEN } from './plain-token.ts';
import { type ToldText, TOLD_TEXT } from './told-texts.ts';

/** One statement over both databases. */
const OF_TOKEN = lookUp(
  1,
  ([digest]) => `select ${PLAIN_TOKEN}, ${TOLD_TEXT}
  from mappings join apps using (client_id)
  left join told_users told on told.grant_id = mappings.grant_id
  ${ofDigest(digest)}`,
);

/** The token of this digest, if a grant stands behind it, with the text of `user.json` that its app was last told. */
export function findToldUser(store: Store, tokenDigest: string): Soon<ToldText | undefined> {
  return store.firstSoon<ToldText>(OF_TOKEN, [tokenDigest]);
}
