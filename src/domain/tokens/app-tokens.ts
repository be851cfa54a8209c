import { type TokenRow, type TokensOf, listTokens } from '../../store/tokens/app-tokens.ts';
import type { Context } from '../context.ts';
import { type Usage, usageOf } from '../usage/usage.ts';

export type { TokensOf };

/** The tokens of one app, for its owner, or those that one account has of it. */

/** A token without anything that only its holder should read. */
export interface AppToken extends Omit<TokenRow, 'account_email'> {
  /** Whether an address is known that has only to be proven. */
  isExpected: boolean;
  /** Calls of the last days; undefined for a token that was never seen here. */
  usage: Usage | undefined;
}

/** So many stand on one page. */
const PAGE = 50;

/** Calls of so many days are told. */
const DAYS_TOLD = 30;

interface TokenPage {
  tokens: AppToken[];
  /** What the next page is after; undefined on the last one. */
  next: string | undefined;
}

/** A page of tokens by their ids, those after one of them. */
export async function tokensOfApp(context: Context, of: TokensOf, after = ''): Promise<TokenPage> {
  const rows = await listTokens(context.store.durable, of, { after, limit: PAGE + 1 });
  const shown = rows.slice(0, PAGE);
  const ids = shown.map(({ id }) => id);
  const usage = await usageOf(context, ids, { days: DAYS_TOLD });
  const tokens = shown.map(({ account_email: email, ...row }) => ({
    ...row,
    isExpected: row.account_id === null && email !== null,
    usage: usage.get(row.id),
  }));
  return { tokens, next: rows.length > PAGE ? ids.at(-1) : undefined };
}
