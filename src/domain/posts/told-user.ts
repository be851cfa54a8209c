import type { Soon } from '../../shared/and-then.ts';
import type { ToldText } from '../../store/posts/told-texts.ts';
import { findToldUser } from '../../store/posts/told-users.ts';
import type { ServedMapping } from '../tokens/resolve-token.ts';
import type { PostsDeps } from './deps.ts';
import { type CurrentText, currentText, keepText, TEXT_FORM } from './fresh-text.ts';

/**
 * The text of `user.json`, kept from one call to the next as the text of `profiles.json` is. It depends on one answer of
 * the new API, and on the app: an app is told the first id of an account for ever.
 */

const keyOf = (clientId: string) => `${TEXT_FORM} ${clientId}`;

/** The connected token of a call, with what its app was last told. Looks under the active digest key alone. */
export function toldUserOf({ store, vault }: PostsDeps, token: string): Soon<ToldText | undefined> {
  return findToldUser(store, vault.digest(token));
}

/** The kept text for a call; undefined where the text has to be made anew. */
export function toldUser(context: PostsDeps, told: ToldText): CurrentText | undefined {
  return told.key === keyOf(told.client_id) ? currentText(context, told) : undefined;
}

/** Keeps a text for the next calls, where they may be answered with it. No caller waits for this. */
export function keepUser(
  context: PostsDeps,
  mapping: Pick<ServedMapping, 'client_id' | 'grant_id' | 'modern_client_id'>,
  { text, fetchedAt }: { text: string; fetchedAt: number },
): void {
  keepText(context, mapping, { table: 'told_users', text, fetchedAt, key: keyOf(mapping.client_id) });
}
