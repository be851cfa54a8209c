import type { Pair } from '../../store/tokens/mappings.ts';
import { isUnidentified } from '../../store/tokens/observed.ts';
import { WAITING_STATES } from '../../store/tables/tables.ts';
import { hasConsented, listListable, type ListableToken } from '../../store/tokens/claims.ts';
import type { Context } from '../context.ts';

export type { ListableToken } from '../../store/tokens/claims.ts';

/**
 * The waiting tokens of an account of which no app is proven: those of an unidentified program, and those whose calls name
 * the app. A consent connects them only if its page has listed them.
 */
export function listableTokens({ store }: Pick<Context, 'store'>, pair: Pair): Promise<ListableToken[]> {
  return listListable(store.durable, pair);
}

/** Whether a token of an app and account waits that a consent connects without listing it. */
export async function waitsUnlisted({ store }: Pick<Context, 'store'>, pair: Pair): Promise<boolean> {
  const isProgram = await isUnidentified(store.durable, pair.clientId);
  return hasConsented(store.durable, { pair, isProgram, listed: [], from: WAITING_STATES });
}
