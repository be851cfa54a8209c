import type { OwnersToken } from '../../../store/reminders/owned-tokens.ts';
import { type MappingState, WAITING_STATES } from '../../../store/tables/tables.ts';
import type { OwnerPart } from '../people.ts';

/** What the tokens of an app come to, as its owner is told. */

export type TokenSums = Pick<
  OwnerPart,
  'tokens' | 'accounts' | 'lastUsedAt' | 'waitingUsedAt' | 'knownSince'
>;

/** The tokens of one kind that were read so far. */
export interface KindSum {
  tokens: number;
  /** An address counts as an account while no account is known. */
  accounts: Set<string>;
  lastUsedAt: number | undefined;
  knownSince: number | undefined;
}

/** No tokens yet. */
export const emptySum = (): KindSum => ({
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

/** Whether tokens in this state wait for a consent. */
export const isWaiting = (state: MappingState): boolean => WAITING_STATES.some((one) => one === state);

/** The end of a token that an app got with its registration and never used breaks no program. */
export const isConcerned = ({ state, source, last_used_at: lastUse }: OwnersToken): boolean =>
  !(state === 'unmapped' && source === 'registration' && lastUse === null);

/** The sums of the waiting and of the connected tokens together. */
export function tokenSums(waiting: KindSum, active: KindSum): TokenSums {
  return {
    tokens: { waiting: waiting.tokens, active: active.tokens },
    accounts: { waiting: waiting.accounts.size, active: active.accounts.size },
    lastUsedAt: later(waiting.lastUsedAt, active.lastUsedAt),
    waitingUsedAt: waiting.lastUsedAt,
    knownSince: waiting.knownSince,
  };
}
