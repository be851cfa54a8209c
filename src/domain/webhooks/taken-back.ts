import type { PartWithEntry } from '../../store/history/deeds.ts';
import type { TokenPlace } from '../../store/tokens/token-places.ts';

/** What the taking back of a deed means for a token: pure, from what the deed kept. */

/** The action of its entries. */
export const TAKEN_BACK = 'token_taken_back';

type Stand = Pick<TokenPlace, 'client_id' | 'state'>;

/** How a token stood before the deed, and stands again, and how the deed had left it. */
interface RestoredToken {
  was: Stand;
  left: Stand;
}

/** By the id of the entry that is taken back. Without those whose deed was removed since. */
export type RestoredTokens = ReadonlyMap<number, RestoredToken>;

/** The reason of an entry of a taking back begins with it. */
const NAMED_ENTRY = /^entry (\d+): /;

/** The entry that was taken back; undefined where none is named. */
export function entryTakenBack(reason: string | null): number | undefined {
  const id = Number(NAMED_ENTRY.exec(reason ?? '')?.[1]);
  return Number.isSafeInteger(id) ? id : undefined;
}

/** What a person wrote as the reason. It is the same for all tokens of a deed. */
export const withoutEntry = (reason: string | null): string => (reason ?? '').replace(NAMED_ENTRY, '');

/** The tokens of these parts of deeds. */
export const restoredTokens = (parts: readonly PartWithEntry[]): RestoredTokens =>
  new Map(
    parts.map(({ entry_id: id, was, left_as: left }) => [
      id,
      { was: JSON.parse(was) as Stand, left: JSON.parse(left) as Stand },
    ]),
  );

const isElsewhere = ({ was, left }: RestoredToken) => was.client_id !== left.client_id;

/** The app for which the token worked only by the deed; undefined where it worked for none, or works there still. */
export function appThatLost(token: RestoredToken | undefined): string | undefined {
  if (token?.left.state !== 'active') return undefined;
  return isElsewhere(token) || token.was.state !== 'active' ? token.left.client_id : undefined;
}

/** Whether the token came back to its app: it works there again, or was revoked there and stands as before. */
export function hasComeBack(token: RestoredToken): boolean {
  const { was, left } = token;
  return (
    left.state === 'revoked' || (was.state === 'active' && (left.state !== 'active' || isElsewhere(token)))
  );
}
