import type { OldApiDeps } from './deps.ts';
import { type AskLimit, createAskLimit } from './ask-limit.ts';

/**
 * Tokens that neither the bridge nor the old API knows (docs/decisions/0017). A refusal is remembered until its minute
 * is over, so that the old API is asked once. The number of refused tokens of an address in a minute is limited.
 */

export interface RefusedTokens extends Pick<AskLimit, 'ask'> {
  isRefused(token: string): boolean;
  /** The old API refused a token that came from an address. */
  remember(token: string, address: string): void;
}

const tokenKey = (token: string) => ['refused token', token];

/** All processes share the refusals. The running questions are those of this process. */
export function createRefusedTokens({ counts }: OldApiDeps): RefusedTokens {
  const { ask, count } = createAskLimit({ counts }, 'refused tokens');
  const isRefused = (token: string) => counts.look(tokenKey(token)).points > 0;
  return {
    isRefused,
    remember(token, address) {
      if (isRefused(token)) return;
      counts.count(tokenKey(token));
      count(address);
    },
    ask,
  };
}
