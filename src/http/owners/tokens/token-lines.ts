import type { AppToken } from '../../../domain/tokens/app-tokens.ts';
import type { OldApiStatus } from '../../wording/dates/lines.ts';
import { hintWords, holderWords, originWords, tokenWords } from '../../wording/token-words.ts';

/** One token as a row of a table. */
interface TokenLine {
  hint: string | undefined;
  holder: string;
  source: string;
  label: string;
  kind: string;
  reason: string;
  /** Undefined for a token without a known use. */
  lastUsed: number | undefined;
  calls: number;
}

/** Tokens as rows, for one reader. */
export function tokenLines(
  tokens: readonly AppToken[],
  { reader, footing }: { reader: string; footing: OldApiStatus },
): TokenLine[] {
  return tokens.map((token) => ({
    ...tokenWords({ ...token, isOwn: token.account_id === reader, ...footing }),
    hint: hintWords(token),
    holder: holderWords(token, reader),
    source: originWords(token),
    lastUsed: token.usage?.lastSeen ?? token.last_used_at ?? undefined,
    calls: token.usage?.calls ?? 0,
  }));
}
