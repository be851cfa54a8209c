import type { Context } from '../context.ts';
import { eachConnected } from './connected-tokens.ts';
import { lacksPosts } from './moving-calls.ts';

/** Accounts of an app that have connected it, and those of them that never consented to posts. */
export interface WithoutPosts {
  accounts: number;
  without: number;
  /** Whether there are more, at which nobody has looked. */
  isPartial: boolean;
}

/** Counts the accounts whose connected tokens the old API still knows, of the first tokens of an app. */
export async function countWithoutPosts(
  context: Pick<Context, 'store' | 'shutdown'>,
  clientId: string,
  most: number,
): Promise<WithoutPosts> {
  const [all, without] = [new Set<string>(), new Set<string>()];
  const isWhole = await eachConnected(context, { clientId, most }, (tokens) => {
    for (const token of tokens) {
      all.add(token.account_id);
      if (lacksPosts(token)) without.add(token.account_id);
    }
  });
  return { accounts: all.size, without: without.size, isPartial: !isWhole };
}
