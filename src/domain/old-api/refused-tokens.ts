import type { Context } from '../context.ts';
import { type AskLimit, createAskLimit } from './ask-limit.ts';

/**
 * Tokens that neither the bridge nor the old backend knows (docs/decisions/0017). Each is remembered until its minute
 * is over, so that the old backend is asked once; and an address may guess at so many of them in a minute.
 */

export interface RefusedTokens extends Pick<AskLimit, 'ask'> {
  isRefused(token: string): boolean;
  /** The old backend refused a token that came from an address. */
  remember(token: string, address: string): void;
}

const tokenKey = (token: string) => ['refused token', token];

/** What is remembered by all processes, and the questions that this one is asking. */
export function createRefusedTokens({ counts }: Context): RefusedTokens {
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
