import type { AppAccount } from '../../store/tokens/mappings.ts';
import { isUnidentified } from '../../store/tokens/observed.ts';
import { WAITING_STATES } from '../../store/tables/tables.ts';
import { hasConsented, listListable, type ListableToken } from '../../store/tokens/claims.ts';
import type { TokensDeps } from './deps.ts';

export type { ListableToken } from '../../store/tokens/claims.ts';

/**
 * The waiting tokens of an account that have no proven app: the tokens of an unidentified program, and the tokens whose
 * calls name the app. A consent connects these tokens only if its page has listed them.
 */
export function listableTokens(
  { store }: Pick<TokensDeps, 'store'>,
  pair: AppAccount,
): Promise<ListableToken[]> {
  return listListable(store.durable, pair);
}

/** Whether an app and account have a waiting token that a consent connects without listing the token. */
export async function waitsUnlisted(
  { store }: Pick<TokensDeps, 'store'>,
  pair: AppAccount,
): Promise<boolean> {
  const isProgram = await isUnidentified(store.durable, pair.clientId);
  return hasConsented(store.durable, { pair, isProgram, listed: [], from: WAITING_STATES });
}
