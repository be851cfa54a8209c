import { createHash } from 'node:crypto';
import type { MappingState } from '../store/tables/tables.ts';
import { DAY, MINUTE } from '../shared/lifetimes.ts';
import { DEMO_PEOPLE } from './people.ts';
import type { DemoTokenUse, DemoPair } from './tokens.ts';

/** The dated events of each token. Rows, history, progress and calls are all made from these events, so they agree. */

/** When the import ran, in days before now: before the first day of the progress. */
export const IMPORTED_AGO = 62;

/** A state of a token, and the moment at which the state began. */
interface DatedTokenState {
  at: number;
  state: MappingState;
  reason: string | null;
}

/** A token with fixed values, and its states, oldest first. */
export interface SeededToken {
  id: string;
  token: string;
  /** The actor that revoked the token. */
  revokedBy: string | undefined;
  stands: readonly DatedTokenState[];
  habit: DemoTokenUse | undefined;
}

/** The tokens of one app and account. */
export interface SeededPair {
  clientId: string;
  accountId: string | null;
  email: string | null;
  legacyAccountId: string | null;
  /** The grant that served the tokens. */
  grant: { id: string; from: number; to: number; end: string; isConfirmed: boolean } | undefined;
  tokens: SeededToken[];
}

const fixedId = (kind: string, n: number) => `5e1f0c9a7b3d4e2f8a6${kind}${String(n).padStart(4, '0')}`;

/** A token that is the same in every demo. */
function demoToken(n: number): string {
  return `1/${createHash('sha256').update(`a token of the demo, number ${n}`).digest('hex').slice(0, 32)}`;
}

/** Spread over the time of day, because events at the same time of day would look artificial. */
export function momentAgo(now: number, days: number, n = 0): number {
  const stagger = days >= 1 ? ((n * 47) % 300) * MINUTE : 0;
  return Math.floor(now - days * DAY - stagger);
}

function holderOf({ holder }: DemoPair) {
  const nobody = { accountId: null, email: null, legacyAccountId: null };
  if (typeof holder === 'string') return { ...nobody, accountId: DEMO_PEOPLE[holder].accountId };
  return { ...nobody, ...holder };
}

function grantOf({ connection }: DemoPair, now: number, n: number): SeededPair['grant'] {
  if (!connection) return undefined;
  const { from, to, end, isConfirmed = true } = connection;
  return {
    id: fixedId('e', n),
    from: momentAgo(now, from, n),
    to: momentAgo(now, to, n),
    end,
    isConfirmed,
  };
}

function endOf({ to, end }: NonNullable<SeededPair['grant']>): DatedTokenState {
  return end === 'handed_over'
    ? { at: to, state: 'migrated', reason: 'handed_over' }
    : { at: to, state: 'reauthorization_required', reason: `grant_${end}` };
}

function standsOf(
  begin: number,
  grant: SeededPair['grant'],
  revoked: { at: number; why: string } | undefined,
): DatedTokenState[] {
  const first: DatedTokenState = { at: begin, state: 'unmapped', reason: null };
  const connected: DatedTokenState[] = grant
    ? [{ at: grant.from, state: 'active', reason: null }, endOf(grant)]
    : [];
  const all = [first, ...connected];
  if (!revoked) return all;
  return [
    ...all.filter(({ at }) => at < revoked.at),
    { at: revoked.at, state: 'revoked', reason: revoked.why },
  ];
}

/** Every pair with its tokens, as of now. */
export function layPairs(pairs: readonly DemoPair[], now: number): SeededPair[] {
  let n = 0;
  return pairs.map((pair, index) => {
    const grant = grantOf(pair, now, index);
    const tokens = pair.tokens.map(({ habit, revoked }) => {
      n += 1;
      const ended = revoked && { at: momentAgo(now, revoked.ago, n), why: revoked.why };
      return {
        id: fixedId('b', n),
        token: demoToken(n),
        revokedBy: revoked && `account:${DEMO_PEOPLE[revoked.by].accountId}`,
        stands: standsOf(momentAgo(now, IMPORTED_AGO), grant, ended),
        habit,
      };
    });
    return { clientId: pair.clientId, ...holderOf(pair), grant, tokens };
  });
}

/** The state of a token at a moment. */
export function stateAt({ stands }: SeededToken, at: number): MappingState | undefined {
  return stands.findLast((stand) => stand.at <= at)?.state;
}
