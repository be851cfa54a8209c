import type { Soon } from '../../shared/and-then.ts';
import { lengthsIn } from '../../store/posts/post-answers.ts';
import { findToldCall, type ToldCall } from '../../store/posts/told-profiles.ts';
import type { ServedMapping } from '../tokens/resolve-token.ts';
import type { PostsDeps } from './deps.ts';
import { type CurrentText, currentText, keepText, TEXT_FORM } from './fresh-text.ts';

export type { PlainToken } from '../../store/posts/plain-token.ts';

/**
 * The text of `profiles.json`, kept from one call to the next: to make the text costs more than the rest of a call. The
 * text depends on the app (its ids stay for ever), on one answer of the new API, and on the known lengths of lists.
 */

/** The connected token of a call, with what its app was last told. Looks under the active digest key alone. */
export function toldCallOf({ store, vault }: PostsDeps, token: string): Soon<ToldCall | undefined> {
  return findToldCall(store, vault.digest(token));
}

/** What a text depends on. A kept text with another key is not used. */
function keyOf(clientId: string, fetchedAt: number, lengths: ReadonlyMap<string, number>): string {
  const known = [...lengths].toSorted(([a], [b]) => (a < b ? -1 : 1));
  return `${TEXT_FORM} ${clientId} ${fetchedAt}${known.length === 0 ? '' : ` ${JSON.stringify(known)}`}`;
}

const NONE: ReadonlyMap<string, number> = new Map();

/** The kept text for a call; undefined where the text has to be made anew. */
export function toldProfiles(context: PostsDeps, told: ToldCall): CurrentText | undefined {
  const { client_id: clientId, grant_id: grantId, key, fetched_at: fetchedAt } = told;
  const current = currentText(context, told);
  if (current === undefined || fetchedAt === null) return undefined;
  const lengths = told.lengths === null ? NONE : lengthsIn(told.lengths, grantId);
  return key === keyOf(clientId, fetchedAt, lengths) ? current : undefined;
}

interface MadeProfiles {
  text: string;
  fetchedAt: number;
  lengths: ReadonlyMap<string, number>;
}

/** Keeps a text for the next calls, where they may be answered with it. No caller waits for this. */
export function keepProfiles(
  context: PostsDeps,
  mapping: Pick<ServedMapping, 'client_id' | 'grant_id' | 'modern_client_id'>,
  { text, fetchedAt, lengths }: MadeProfiles,
): void {
  const key = keyOf(mapping.client_id, fetchedAt, lengths);
  keepText(context, mapping, { table: 'told_profiles', text, fetchedAt, key });
}
