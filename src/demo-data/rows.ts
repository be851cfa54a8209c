import { tokenHint } from '../shared/ids.ts';
import { pairPlace } from '../domain/keys/sealing-context.ts';
import { DAY, DEAD_GRANT_KEPT } from '../shared/lifetimes.ts';
import type { Vault } from '../shared/secrets.ts';
import type { DeathCause, NewGrant, NewMapping } from '../store/tables/tables.ts';
import { UNIDENTIFIED } from './apps.ts';
import type { SeededPair, SeededToken } from './life.ts';
import { demoUsage } from './usage-rows.ts';

/** The database rows of the tokens and of their grants. */

/** The tokens are years older than the bridge, each with a different age. */
const ageOf = ({ id }: SeededToken) => (700 + ((Number.parseInt(id.slice(-4), 10) * 61.37) % 500)) * DAY;

/** An observed token exists at least since its first use. */
const firstSeen = ({ stands }: SeededToken) => stands[0]?.at ?? 0;

const SCOPE = 'account:read posts:read posts:write offline_access';

/** Truncated to the day, as last uses are everywhere. */
function lastUse(token: SeededToken, now: number): number | null {
  const last = Math.max(0, ...demoUsage(token, now).map(({ last_at }) => last_at));
  return last === 0 ? null : last - (last % DAY);
}

/** The mapping rows of one pair. All rows have the same columns, because one statement inserts them. */
export function mappingRows({ digest }: Pick<Vault, 'digest'>, pair: SeededPair, now: number): NewMapping[] {
  const isObserved = pair.clientId === UNIDENTIFIED.clientId;
  return pair.tokens.map((token) => {
    const hint = tokenHint(token.token);
    const { state, reason, at } = token.stands.at(-1) ?? { state: 'unmapped', reason: null, at: now };
    return {
      id: token.id,
      token_digest: digest(token.token),
      hint_first: hint.first,
      hint_last: hint.last,
      client_id: pair.clientId,
      account_id: pair.accountId,
      account_email: pair.email,
      legacy_account_id: pair.legacyAccountId,
      grant_id: pair.grant?.id ?? null,
      state,
      reason,
      source: isObserved ? 'observed' : 'imported',
      created_at: isObserved ? firstSeen(token) : Math.floor(now - ageOf(token)),
      updated_at: at,
      last_used_at: lastUse(token, now),
    };
  });
}

const versionOf = ({ from, to }: NonNullable<SeededPair['grant']>) =>
  Math.max(1, Math.round((to - from) / DAY));

/**
 * A placeholder for the sealed pair of a hand-over that the app has not confirmed yet. There was no real pair, so the
 * placeholder opens no account.
 */
function keptPair({ seal }: Pick<Vault, 'seal'>, { grant }: SeededPair, now: number): Partial<NewGrant> {
  if (grant?.end !== 'handed_over' || grant.isConfirmed || grant.to + DEAD_GRANT_KEPT < now) return {};
  const sealed = (column: 'access_token' | 'refresh_token') =>
    seal(pairPlace(grant.id, versionOf(grant), column), 'none');
  return { access_token_sealed: sealed('access_token'), refresh_token_sealed: sealed('refresh_token') };
}

interface SealedGrantInput {
  vault: Pick<Vault, 'seal'>;
  now: number;
  modernClientId: string;
}

/** The grant row of a pair; the grant is dead. */
export function grantRow(pair: SeededPair, { vault, now, modernClientId }: SealedGrantInput): NewGrant[] {
  const { clientId, accountId, grant } = pair;
  if (!grant || accountId === null) return [];
  return [
    {
      id: grant.id,
      client_id: clientId,
      account_id: accountId,
      modern_client_id: modernClientId,
      state: 'dead',
      version: versionOf(grant),
      scope: SCOPE,
      access_expires_at: grant.to,
      refresh_at: grant.to,
      dead_at: grant.to,
      dead_cause: grant.end as DeathCause,
      created_at: grant.from,
      updated_at: grant.to,
      rotated_at: Math.max(grant.from, grant.to - DAY),
      ...keptPair(vault, pair, now),
    },
  ];
}

/** The row that the hand-over of a pair left. */
export function handoverRow({ clientId, accountId, grant, tokens }: SeededPair) {
  if (grant?.end !== 'handed_over' || accountId === null) return [];
  return [
    {
      grant_id: grant.id,
      client_id: clientId,
      account_id: accountId,
      version: versionOf(grant),
      migrated_tokens: tokens.length,
      handed_at: grant.to,
      confirmed_at: grant.isConfirmed ? grant.to + 1 : null,
    },
  ];
}
