import type { CutOverDeps } from './deps.ts';
import { eachConnected } from './connected-tokens.ts';
import { lacksPosts } from './moving-calls.ts';

/** The accounts that have connected an app, and how many of these accounts never consented to posts. */
export interface PostConsentCounts {
  accounts: number;
  without: number;
  /** True: the app has further tokens that were not looked at. */
  isPartial: boolean;
}

/** Counts accounts among the first `most` tokens of an app: connected tokens that the old API still knows. */
export async function countWithoutPosts(
  context: Pick<CutOverDeps, 'store' | 'shutdown'>,
  clientId: string,
  most: number,
): Promise<PostConsentCounts> {
  const [all, without] = [new Set<string>(), new Set<string>()];
  const isWhole = await eachConnected(context, { clientId, most }, (tokens) => {
    for (const token of tokens) {
      all.add(token.account_id);
      if (lacksPosts(token)) without.add(token.account_id);
    }
  });
  return { accounts: all.size, without: without.size, isPartial: !isWhole };
}
