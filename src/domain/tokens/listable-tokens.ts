import { type KeyPage, pageFrom, type PageKey, type PagePosition } from '../../shared/list-pages.ts';
import type { AppAccount } from '../../store/tokens/mappings.ts';
import { isUnidentified } from '../../store/tokens/observed.ts';
import { WAITING_STATES } from '../../store/tables/tables.ts';
import {
  countListable,
  findListable,
  hasConsented,
  type ListableCount,
  type ListableToken,
  listListable,
} from '../../store/tokens/claims.ts';
import type { TokensDeps } from './deps.ts';

export type { ListableToken } from '../../store/tokens/claims.ts';

/**
 * The waiting tokens of an account that have no proven app: the tokens of an unidentified program, and the tokens whose
 * calls name the app. A consent connects these tokens only if its page has listed them.
 */

type Deps = Pick<TokensDeps, 'store'>;

/** One page of these tokens, the oldest first. */
export async function listablePage(
  { store }: Deps,
  pair: AppAccount,
  position: PagePosition | undefined,
): Promise<KeyPage<ListableToken & PageKey>> {
  const tokens = await listListable(store.durable, pair, position);
  return pageFrom(
    tokens.map((token) => ({ ...token, rank: token.created_at })),
    position,
  );
}

/** How many such tokens there are. */
export function listableCount({ store }: Deps, pair: AppAccount): Promise<ListableCount> {
  return countListable(store.durable, pair);
}

/** Those of these ids that are such tokens. */
export async function listableAmong(
  { store }: Deps,
  pair: AppAccount,
  ids: readonly string[],
): Promise<string[]> {
  return (await findListable(store.durable, pair, ids)).map(({ id }) => id);
}

/** Whether an app and account have a waiting token that a consent connects without listing the token. */
export async function waitsUnlisted({ store }: Deps, pair: AppAccount): Promise<boolean> {
  const isProgram = await isUnidentified(store.durable, pair.clientId);
  return hasConsented(store.durable, { pair, isProgram, listed: [], from: WAITING_STATES });
}
