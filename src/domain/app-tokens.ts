import { type TokenRow, type TokensOf, countFirst, listTokens } from '../store/app-tokens.ts';
import { newestProgress } from '../store/progress.ts';
import type { MappingState } from '../store/tables.ts';
import { type DayCalls, listMappingIds, sumDays } from '../store/usage-days.ts';
import { type Calls, callsOf } from './calls-of.ts';
import { lastDays } from './calls-per-day.ts';
import type { Context } from './context.ts';
import { takeTurns } from './reminders/take-turns.ts';
import { type Usage, usageOf } from './usage.ts';

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

/** So many tokens are counted while somebody waits for a page. */
const COUNTED_NOW = 5000;

type States = Partial<Record<MappingState, number>>;

/** As the last count of all tokens has it; undefined of an app that it has not met yet. */
async function statesOfProgress({ store }: Context, clientId: string): Promise<States | undefined> {
  const [row] = await newestProgress(store.durable, [clientId]);
  if (!row) return undefined;
  const { unmapped, active, reauthorization_required, revoked, migrated } = row;
  return { unmapped, active, reauthorization_required, revoked, migrated };
}

/** How many tokens of an app are in each state; of very many tokens as it was within the last hour. */
export async function statesOfApp(context: Context, clientId: string): Promise<States> {
  const rows = await countFirst(context.store.durable, clientId, COUNTED_NOW + 1);
  const now = Object.fromEntries(rows.map(({ state, n }) => [state, n]));
  const isAll = rows.reduce((sum, { n }) => sum + n, 0) <= COUNTED_NOW;
  return isAll ? now : ((await statesOfProgress(context, clientId)) ?? now);
}

/** Calls are read of so many tokens; a page that is opened has no time for more. */
export const TOKENS_READ = 5000;

/** Tokens of one statement; SQLite does nothing else meanwhile. */
const TOKENS_AT_ONCE = 500;

async function readIds({ store }: Context, of: TokensOf): Promise<{ ids: string[]; isPartial: boolean }> {
  const ids = await listMappingIds(store.durable, of, { after: '', limit: TOKENS_READ + 1 });
  return { ids: ids.slice(0, TOKENS_READ), isPartial: ids.length > TOKENS_READ };
}

interface KindsOfApp extends Calls {
  /** Whether there are tokens whose calls were not read. */
  isPartial: boolean;
}

/** The calls of these tokens by endpoint, carrier and user agent, in the last days. */
export async function callKindsOf(
  context: Context,
  of: TokensOf,
  { days }: { days: number },
): Promise<KindsOfApp> {
  const { ids, isPartial } = await readIds(context, of);
  return { ...(await callsOf(context, ids, { days })), isPartial };
}

/** The calls of these tokens in the last days (UTC, today is one of them), by day, endpoint and carrier. */
export async function callDaysOf(
  context: Context,
  of: TokensOf,
  { days }: { days: number },
): Promise<DayCalls[]> {
  const { ids } = await readIds(context, of);
  const [since = ''] = lastDays(context, days);
  const rows: DayCalls[] = [];
  for (let start = 0; start < ids.length; start += TOKENS_AT_ONCE) {
    rows.push(...(await sumDays(context.store, ids.slice(start, start + TOKENS_AT_ONCE), since)));
    await takeTurns();
  }
  return rows;
}
