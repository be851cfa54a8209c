import { listOwnersTokens, type OwnersToken } from '../../../store/reminders/owned-tokens.ts';
import { restForCalls } from '../../work/yield-to-event-loop.ts';
import type { RemindersDeps } from '../deps.ts';
import { sumLargeApp } from './large-app.ts';
import {
  emptySum,
  isConcerned,
  isWaiting,
  type KindSum,
  later,
  tokenSums,
  type TokenSums,
} from './token-sums.ts';

/** The numbers of an app's tokens. */

/** An app with fewer tokens is small: to read them takes less than the statements for a large app. Most apps are small. */
const LARGE_FROM = 200;

function addToken(sum: KindSum, token: OwnersToken): void {
  const account = token.account_id ?? token.account_email;
  sum.tokens += 1;
  if (account !== null) sum.accounts.add(account);
  sum.lastUsedAt = later(sum.lastUsedAt, token.last_used_at);
  if (token.last_used_at === null) sum.knownSince = later(sum.knownSince, token.updated_at);
}

/** Adds up all tokens of a small app. */
function sumSmallApp(tokens: readonly OwnersToken[]): TokenSums {
  const [waiting, active] = [emptySum(), emptySum()];
  for (const token of tokens) {
    if (token.state === 'active') addToken(active, token);
    else if (isWaiting(token.state) && isConcerned(token)) addToken(waiting, token);
  }
  return tokenSums(waiting, active);
}

interface AppTokens {
  clientId: string;
  /** Aborts when the process stops. */
  stopping: AbortSignal | undefined;
}

/** Adds up the waiting and the connected tokens of an app. */
export async function sumTokensOf(context: Pick<RemindersDeps, 'store'>, app: AppTokens): Promise<TokenSums> {
  const { clientId, stopping } = app;
  const first = await listOwnersTokens(context.store.durable, { clientId, after: '', limit: LARGE_FROM });
  await restForCalls(stopping);
  return first.length < LARGE_FROM ? sumSmallApp(first) : sumLargeApp(context, app);
}
