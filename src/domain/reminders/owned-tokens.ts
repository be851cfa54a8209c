import { listOwnersTokens, type OwnersToken } from '../../store/reminders/reminder-people.ts';
import { type MappingState, WAITING_STATES } from '../../store/tables/tables.ts';
import type { OwnerPart } from './people.ts';
import type { RemindersDeps } from './deps.ts';
import { yieldToEventLoop } from '../work/yield-to-event-loop.ts';

/** The numbers of an app's tokens, added up piece by piece: an app may have most of a million tokens. */

/** Tokens of one statement. With SQLite, the process does no other work meanwhile. */
const TOKENS_AT_ONCE = 1000;

type TokenSums = Pick<OwnerPart, 'tokens' | 'accounts' | 'lastUsedAt' | 'waitingUsedAt' | 'knownSince'>;

/** The tokens of one kind that were read so far. */
interface KindSum {
  tokens: number;
  /** An address counts as an account while no account is known. */
  accounts: Set<string>;
  lastUsedAt: number | undefined;
  knownSince: number | undefined;
}

const emptySum = (): KindSum => ({
  tokens: 0,
  accounts: new Set(),
  lastUsedAt: undefined,
  knownSince: undefined,
});

/** The later of two moments of which each may be missing. */
export function later(one: number | undefined, other: number | null | undefined): number | undefined {
  if (one === undefined || other === undefined || other === null) return one ?? other ?? undefined;
  return Math.max(one, other);
}

function addToken(sum: KindSum, token: OwnersToken): void {
  const account = token.account_id ?? token.account_email;
  sum.tokens += 1;
  if (account !== null) sum.accounts.add(account);
  sum.lastUsedAt = later(sum.lastUsedAt, token.last_used_at);
  if (token.last_used_at === null) sum.knownSince = later(sum.knownSince, token.updated_at);
}

const isWaiting = (state: MappingState) => WAITING_STATES.some((one) => one === state);

/** The end of a token that an app got with its registration and never used breaks no program. */
const isConcerned = ({ state, source, last_used_at: lastUse }: OwnersToken) =>
  !(state === 'unmapped' && source === 'registration' && lastUse === null);

interface AppTokens {
  clientId: string;
  /** Aborts when the process stops. */
  stopping: AbortSignal | undefined;
}

/** Adds up the waiting and the connected tokens of an app. */
export async function sumTokensOf(
  { store: { durable } }: Pick<RemindersDeps, 'store'>,
  { clientId, stopping }: AppTokens,
): Promise<TokenSums> {
  const [waiting, active] = [emptySum(), emptySum()];
  for (let after = ''; ; ) {
    const page = await listOwnersTokens(durable, { clientId, after, limit: TOKENS_AT_ONCE });
    for (const token of page) {
      if (token.state === 'active') addToken(active, token);
      else if (isWaiting(token.state) && isConcerned(token)) addToken(waiting, token);
    }
    await yieldToEventLoop(stopping);
    const last = page.at(-1);
    if (last === undefined || page.length < TOKENS_AT_ONCE) break;
    after = last.id;
  }
  return {
    tokens: { waiting: waiting.tokens, active: active.tokens },
    accounts: { waiting: waiting.accounts.size, active: active.accounts.size },
    lastUsedAt: later(waiting.lastUsedAt, active.lastUsedAt),
    waitingUsedAt: waiting.lastUsedAt,
    knownSince: waiting.knownSince,
  };
}
