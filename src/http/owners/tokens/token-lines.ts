import type { AppToken } from '../../../domain/tokens/app-tokens.ts';
import { oldApiStatusNow } from '../../../domain/lifecycle/old-api-status.ts';
import { provenApp } from '../../../domain/tokens/proven-app.ts';
import type { OwnersDeps } from '../deps.ts';
import type { ShownApp } from '../shown-app.ts';
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

/** Tokens of an app as rows, for one reader. The dates of the app count for those tokens of which it is proven. */
export function tokenLines(
  context: OwnersDeps,
  tokens: readonly AppToken[],
  { app, reader }: Pick<ShownApp, 'app' | 'reader'>,
): TokenLine[] {
  const oldApiOf = (token: AppToken) =>
    oldApiStatusNow(context, provenApp({ ...token, app_source: app.source }));
  return tokens.map((token) => ({
    ...tokenWords({ ...token, isOwn: token.account_id === reader, oldApi: oldApiOf(token) }),
    hint: hintWords(token),
    holder: holderWords(token, reader),
    source: originWords(token),
    lastUsed: token.usage?.lastSeen ?? token.last_used_at ?? undefined,
    calls: token.usage?.calls ?? 0,
  }));
}
