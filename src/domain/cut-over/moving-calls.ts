import { callDaysOf } from '../usage/calls-per-day.ts';
import type { CutOverDeps } from './deps.ts';
import { type ConnectedToken, eachConnected } from './connected-tokens.ts';
import { costOf } from './request-costs.ts';

/** The measured calls of the tokens that will move to the new API, by the client that owns their grants there. */

/** Usage is measured over this many days, today included. */
export const DAYS_MEASURED = 30;

/** The calls of one kind on one day (`YYYY-MM-DD`, UTC), without refused calls. */
export interface DayOfCalls {
  day: string;
  endpoint: string;
  calls: number;
}

export interface MovingCalls {
  modernClientId: string;
  tokens: number;
  /** An account counts once for each app. */
  accounts: number;
  /** Undefined in a count of an earlier version, which did not count apps. */
  apps?: number | undefined;
  /** Tokens and accounts whose grant lacks `posts:read` or `posts:write`. Their calls about posts will get 403. */
  withoutPosts: { tokens: number; accounts: number };
  calls: DayOfCalls[];
}

const POSTS = ['posts:read', 'posts:write'];

/** Whether a grant lacks one of the scopes that calls about posts need. */
export function lacksPosts({ scope }: { scope: string }): boolean {
  const given = scope.split(/\s+/);
  return !POSTS.every((one) => given.includes(one));
}

interface Sum extends Omit<MovingCalls, 'modernClientId' | 'calls'> {
  apps: number;
  calls: Map<string, DayOfCalls>;
  /** The app and account of the last token. Tokens come in the order of app and account. */
  last: string;
  lastApp: string;
}

const emptySum = (): Sum => ({
  tokens: 0,
  accounts: 0,
  apps: 0,
  withoutPosts: { tokens: 0, accounts: 0 },
  calls: new Map(),
  last: '',
  lastApp: '',
});

function addToken(sum: Sum, token: ConnectedToken): void {
  const pair = `${token.client_id} ${token.account_id}`;
  const accounts = pair === sum.last ? 0 : 1;
  sum.last = pair;
  sum.apps += token.client_id === sum.lastApp ? 0 : 1;
  sum.lastApp = token.client_id;
  sum.tokens += 1;
  sum.accounts += accounts;
  if (!lacksPosts(token)) return;
  sum.withoutPosts.tokens += 1;
  sum.withoutPosts.accounts += accounts;
}

function addCalls(sum: Sum, { day, endpoint, calls }: DayOfCalls): void {
  if (calls <= 0 || costOf(endpoint) === 0) return;
  const key = `${day} ${endpoint}`;
  sum.calls.set(key, { day, endpoint, calls: calls + (sum.calls.get(key)?.calls ?? 0) });
}

async function addTokens(
  context: Pick<CutOverDeps, 'store' | 'clock'>,
  sum: Sum,
  tokens: readonly ConnectedToken[],
): Promise<void> {
  for (const token of tokens) addToken(sum, token);
  const ids = tokens.map(({ id }) => id);
  const days = await callDaysOf(context, ids, { days: DAYS_MEASURED });
  for (const { day, endpoint, calls, refused } of days)
    addCalls(sum, { day, endpoint, calls: calls - refused });
}

/** The tokens whose calls are added up. */
interface MovingTokens {
  clientId?: string | undefined;
  most?: number;
  isMoving: (token: ConnectedToken) => boolean;
}

/**
 * Adds up the calls of the tokens that will move. Only calls that will cost requests are kept. A token whose app is not
 * proven moves with the general retirement. Undefined where there are more than `most` tokens.
 */
export async function measureMoving(
  context: Pick<CutOverDeps, 'store' | 'clock' | 'shutdown'>,
  { isMoving, ...walk }: MovingTokens,
): Promise<MovingCalls[] | undefined> {
  const sums = new Map<string, Sum>();
  const isWhole = await eachConnected(context, walk, async (tokens) => {
    const moving = tokens.filter(isMoving);
    for (const id of new Set(moving.map((token) => token.modern_client_id))) {
      const sum = sums.get(id) ?? emptySum();
      sums.set(id, sum);
      const ofClient = moving.filter((token) => token.modern_client_id === id);
      await addTokens(context, sum, ofClient);
    }
  });
  if (!isWhole) return undefined;
  return [...sums].map(([modernClientId, { tokens, accounts, apps, withoutPosts, calls }]) => {
    return { modernClientId, tokens, accounts, apps, withoutPosts, calls: [...calls.values()] };
  });
}
