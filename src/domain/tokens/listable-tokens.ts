import type { Pair } from '../../store/mappings.ts';
import { listListable, type ListableToken } from '../../store/tokens/claims.ts';
import type { Context } from '../context.ts';

export type { ListableToken } from '../../store/tokens/claims.ts';

/**
 * The waiting tokens of an account of which no app is proven: those of an unidentified program, and those whose calls name
 * the app. A consent connects them only if its page has listed them.
 */
export function listableTokens({ store }: Pick<Context, 'store'>, pair: Pair): Promise<ListableToken[]> {
  return listListable(store.durable, pair);
}
