import { type TokenRow, type AppTokenFilter, listTokens } from '../../store/tokens/app-tokens.ts';
import {
  type TokenKeyPage,
  type TokenListQuery,
  tokensOfAccountPage,
  tokensOfAppPage,
} from './token-list.ts';
import { readNotedAt } from '../../store/usage/last-use.ts';
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

/** Usage covers this many days. */
export const TOKEN_USAGE_DAYS = 30;

interface ListedTokens {
  /** In the order of the ids. */
  tokens: AppToken[];
  /** What is known of the days that usage covers. */
  counted: CountedDays;
}

/** Tokens with what they were used for lately. */
export async function tokensWithUsage(context: TokensDeps, ids: readonly string[]): Promise<ListedTokens> {
  const rows = ids.length === 0 ? [] : await listTokens(context.store.durable, ids);
  const usage = await usageOf(context, ids, { days: TOKEN_USAGE_DAYS });
  const within = await knownCallDays(context, ids);
  return { tokens: withUsage(ids, rows, usage), counted: within(TOKEN_USAGE_DAYS) };
}

/** Rows of tokens with their usage, in the order of the ids, without the addresses of people. */
export function withUsage(
  ids: readonly string[],
  rows: readonly TokenRow[],
  usage: ReadonlyMap<string, Usage>,
): AppToken[] {
  const byId = new Map(rows.map((row) => [row.id, row]));
  return ids.flatMap((id) => {
    const row = byId.get(id);
    if (!row) return [];
    const { account_email: email, ...rest } = row;
    return [{ ...rest, isExpected: row.account_id === null && email !== null, usage: usage.get(id) }];
  });
}

/** One page of the tokens of an app, or of one account at the app. */
export async function tokenPageOf(
  context: TokensDeps,
  { clientId, accountId }: AppTokenFilter,
  query: TokenListQuery,
): Promise<TokenKeyPage> {
  return accountId === undefined
    ? tokensOfAppPage(context, { clientId }, query)
    : tokensOfAccountPage(context, { clientId, accountId }, query);
}

/** When uses were last noted beside the tokens, in the order of which lists are; undefined before the first time. */
export function lastUseNotedAt({ store }: TokensDeps): Promise<number | undefined> {
  return readNotedAt(store.durable);
}
