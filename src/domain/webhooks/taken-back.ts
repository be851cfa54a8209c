import type { PartWithEntry } from '../../store/history/deeds.ts';
import type { TokenPlace } from '../../store/tokens/token-places.ts';

/** What an assignment by support, or the taking back of a deed, means for a token: pure, from what the deed kept. */

/** The action of the entry of an assignment, which names the app that has the token now. */
export const ASSIGNED = 'token_assigned';

/** The action of the entries of a taking back. */
export const TAKEN_BACK = 'token_taken_back';

type Stand = Pick<TokenPlace, 'client_id' | 'state'>;

/** How a token stood before the deed, where it stands again after the taking back, and how the deed had left it. */
interface TokenOfDeed {
  was: Stand;
  left: Stand;
}

/** By the id of the entry of the deed. Without those whose deed was removed since. */
export type TokensOfDeeds = ReadonlyMap<number, TokenOfDeed>;

/** The reason of an entry of a taking back begins with it. */
const NAMED_ENTRY = /^entry (\d+): /;

/** The entry that was taken back; undefined where none is named. */
function entryTakenBack(reason: string | null): number | undefined {
  const id = Number(NAMED_ENTRY.exec(reason ?? '')?.[1]);
  return Number.isSafeInteger(id) ? id : undefined;
}

/** What a person wrote as the reason. It is the same for all tokens of a deed. */
export const withoutEntry = (reason: string | null): string => (reason ?? '').replace(NAMED_ENTRY, '');

/** The tokens of these parts of deeds. */
export const tokensOfDeeds = (parts: readonly PartWithEntry[]): TokensOfDeeds =>
  new Map(
    parts.map(({ entry_id: id, was, left_as: left }) => [
      id,
      { was: JSON.parse(was) as Stand, left: JSON.parse(left) as Stand },
    ]),
  );

const isElsewhere = ({ was, left }: TokenOfDeed) => was.client_id !== left.client_id;

/** The entry of the deed that an entry of an assignment or of a taking back tells of. */
export function entryOfDeed(entry: {
  id: number;
  action: string;
  reason: string | null;
}): number | undefined {
  if (entry.action === ASSIGNED) return entry.id;
  return entry.action === TAKEN_BACK ? entryTakenBack(entry.reason) : undefined;
}

/** The app for which the token worked until it was assigned to another one. */
export const appThatLeft = (token: TokenOfDeed | undefined): string | undefined =>
  token?.was.state === 'active' && isElsewhere(token) ? token.was.client_id : undefined;

/** Whether a token that worked for another app works on for the one that it was assigned to. */
export const worksOn = (token: TokenOfDeed): boolean =>
  appThatLeft(token) !== undefined && token.left.state === 'active';

/** The app for which the token worked only by the deed; undefined where it worked for none, or works there still. */
export function appThatLost(token: TokenOfDeed | undefined): string | undefined {
  if (token?.left.state !== 'active') return undefined;
  return isElsewhere(token) || token.was.state !== 'active' ? token.left.client_id : undefined;
}

/** Whether the token came back to its app: it works there again, or was revoked there and stands as before. */
export function hasComeBack(token: TokenOfDeed): boolean {
  const { was, left } = token;
  return (
    left.state === 'revoked' || (was.state === 'active' && (left.state !== 'active' || isElsewhere(token)))
  );
}
