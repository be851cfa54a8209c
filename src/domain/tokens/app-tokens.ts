import { type TokenRow, type AppTokenFilter, listTokens } from '../../store/tokens/app-tokens.ts';
import type { TokensDeps } from './deps.ts';
import { knownCallDays } from '../usage/callers.ts';
import type { CountedDays } from '../usage/counted-days.ts';
import { type Usage, usageOf } from '../usage/usage.ts';

export type { AppTokenFilter as TokensOf };

/** The tokens of one app, or of one account at that app, for the pages that list them. */

/** A token without the e-mail address that the token waits for, which only the account holder should read. */
export interface AppToken extends Omit<TokenRow, 'account_email'> {
  /** Whether the token waits for an e-mail address that has still to be proven. */
  isExpected: boolean;
  /** Calls of the last days; undefined for a token that was never used through the bridge. */
  usage: Usage | undefined;
}

/** Tokens on one page. */
const PAGE = 50;

/** Usage covers this many days. */
const DAYS_TOLD = 30;

interface TokenPage {
  tokens: AppToken[];
  /** Where the next page begins: after this id. Undefined on the last page. */
  next: string | undefined;
  /** What is known of the days that usage covers. */
  counted: CountedDays;
}

/** One page of tokens in the order of their ids, beginning after the id `after`. */
export async function tokensOfApp(context: TokensDeps, of: AppTokenFilter, after = ''): Promise<TokenPage> {
  const rows = await listTokens(context.store.durable, of, { after, limit: PAGE + 1 });
  const shown = rows.slice(0, PAGE);
  const ids = shown.map(({ id }) => id);
  const usage = await usageOf(context, ids, { days: DAYS_TOLD });
  const tokens = shown.map(({ account_email: email, ...row }) => ({
    ...row,
    isExpected: row.account_id === null && email !== null,
    usage: usage.get(row.id),
  }));
  const within = await knownCallDays(context, ids);
  return { tokens, next: rows.length > PAGE ? ids.at(-1) : undefined, counted: within(DAYS_TOLD) };
}
