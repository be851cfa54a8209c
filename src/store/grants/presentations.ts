import type { ExpressionBuilder } from 'kysely';
import { REST_MAX } from '../../shared/lifetimes.ts';
import { isUndisturbed, type SeenBreaker } from './refresh-breaker.ts';
import { isOriginal, type SeenInstance } from '../instance/instance.ts';
import type { Database } from '../driver/store.ts';
import type { DeathCause, GrantVersion, Tables } from '../tables/tables.ts';

/**
 * How one version of a grant's pair is presented (docs/decisions/0003). Every change is one conditional update on the
 * version, and each update returns whether it won. No function here reads first and writes later.
 */

/** The state that a claim was decided on. A row that has changed since then is not claimed. */
export interface ClaimDecision {
  from: 'ready' | 'in_doubt';
  /** The earlier claim, as read. A newer presentation restarts the quiet time. */
  seenClaim: string | null;
  /** The unique name of this claim. */
  claimId: string;
  /** Only while no other grant of the account, live or handed over, belongs to the same client at the new API. */
  ifAlone?: boolean;
  now: number;
  /** The database as last seen. On a copy or an older database no claim is made (docs/decisions/0010). */
  instance: SeenInstance;
  /** Only while no answer was lost since the breaker was read. */
  breaker?: SeenBreaker | undefined;
}

/** True when the rest is over, or was dated by a wrong clock. */
export const isRested = (now: number) => (eb: ExpressionBuilder<Tables, 'grants'>) =>
  eb.or([eb('retry_at', '<=', now), eb('retry_at', '>', now + REST_MAX)]);

const hasSibling = (eb: ExpressionBuilder<Tables, 'grants'>) =>
  eb.exists(
    eb
      .selectFrom('grants as other')
      .select('other.id')
      .whereRef('other.account_id', '=', 'grants.account_id')
      .whereRef('other.modern_client_id', '=', 'grants.modern_client_id')
      .whereRef('other.id', '<>', 'grants.id')
      // A pair that was handed over lives on at the new API, with another holder.
      .where((on) => on.or([on('other.state', '<>', 'dead'), on('other.dead_cause', '=', 'handed_over')])),
  );

/** Claims the right to present version v. The claim is durable before the first byte leaves. */
export async function claimPresenting(
  db: Database,
  { id, version }: GrantVersion,
  { from, seenClaim, claimId, ifAlone, now, instance, breaker }: ClaimDecision,
): Promise<boolean> {
  const result = await db
    .updateTable('grants')
    .set((eb) => ({
      state: 'presenting',
      claim_id: claimId,
      presented_at: now,
      doubted_at: null,
      put_off_at: null,
      attempts: eb('attempts', '+', 1),
      updated_at: now,
    }))
    .where('id', '=', id)
    .where('version', '=', version)
    .where('state', '=', from)
    .where('claim_id', 'is not distinct from', seenClaim)
    .where(isRested(now))
    .where(isOriginal(instance))
    .$if(breaker !== undefined, (query) => query.where(isUndisturbed(breaker as SeenBreaker)))
    .$if(ifAlone === true, (query) => query.where((eb) => eb.not(hasSibling(eb))))
    .executeTakeFirst();
  return result.numUpdatedRows === 1n;
}

/**
 * Takes a claim back when this attempt provably spent nothing. A second presentation returns to `in_doubt`, because the
 * proof covers this attempt only, not the earlier one.
 */
export async function releaseClaim(
  db: Database,
  { id, version }: GrantVersion,
  release: { to: 'ready' | 'in_doubt'; claimId: string; retryAt: number; now: number },
): Promise<void> {
  await db
    .updateTable('grants')
    .set({ state: release.to, retry_at: release.retryAt, updated_at: release.now })
    .where('id', '=', id)
    .where('version', '=', version)
    .where('state', '=', 'presenting')
    .where('claim_id', '=', release.claimId)
    .execute();
}

/** Postpones the next attempt at a grant that is not being presented. */
export async function postponeRefresh(
  db: Database,
  { id, version }: GrantVersion,
  retryAt: number,
): Promise<void> {
  return restUntil(db, { id, version }, { retryAt, putOffAt: null });
}

/** Like `postponeRefresh`. `putOffAt` is the time of a failed connection, or null for another reason. */
export async function restUntil(
  db: Database,
  { id, version }: GrantVersion,
  { retryAt, putOffAt }: { retryAt: number; putOffAt: number | null },
): Promise<void> {
  await db
    .updateTable('grants')
    .set((eb) => ({ retry_at: retryAt, put_off_at: putOffAt, attempts: eb('attempts', '+', 1) }))
    .where('id', '=', id)
    .where('version', '=', version)
    .where('state', 'in', ['ready', 'in_doubt'])
    .execute();
}

/** Ends the rest of a grant that waits for a connection, unless the grant has changed since it was read. */
export async function endRest(
  db: Database,
  { id, version, put_off_at: putOffAt }: GrantVersion & { put_off_at: number | null },
): Promise<void> {
  await db
    .updateTable('grants')
    .set({ retry_at: 0, put_off_at: null })
    .where('id', '=', id)
    .where('version', '=', version)
    .where('state', '=', 'ready')
    .where('put_off_at', '=', putOffAt)
    .execute();
}

/**
 * Records that the outcome of a claimed presentation is unknown. `isHeard` means that the presenting process itself
 * waited for the answer in vain. That says something about the way to the new API; the death of a process does not.
 */
export async function markInDoubt(
  db: Database,
  { id, version }: GrantVersion,
  doubt: { claimId: string | null; retryAt: number; now: number; isHeard?: boolean },
): Promise<boolean> {
  const result = await db
    .updateTable('grants')
    .set((eb) => ({
      state: 'in_doubt',
      doubt_since: eb.fn.coalesce('doubt_since', eb.val(doubt.now)),
      doubted_at: doubt.isHeard === true ? doubt.now : null,
      retry_at: doubt.retryAt,
      updated_at: doubt.now,
    }))
    .where('id', '=', id)
    .where('version', '=', version)
    .where('state', '=', 'presenting')
    .where('claim_id', 'is not distinct from', doubt.claimId)
    .executeTakeFirst();
  return result.numUpdatedRows === 1n;
}

/** A received pair and the times that follow from it, already sealed for version v+1. */
export interface SealedPair {
  accessTokenSealed: string;
  refreshTokenSealed: string;
  scope: string;
  accessExpiresAt: number;
  refreshAt: number;
  /** When the answer with the pair came. Files of earlier versions do not say. */
  answeredAt?: number | undefined;
}

type NewPair = SealedPair & { now: number; next?: number };

/**
 * When the pair came, which may be long before the pair is stored: a late storing must not count as a recent answer.
 * When the time is unknown, the row keeps its older date.
 */
const rotationTime = ({ answeredAt, now }: NewPair) =>
  answeredAt === undefined ? {} : { rotated_at: Math.min(answeredAt, now) };

/** The columns of a row that holds the pair after the given version. */
const holding = ({ version }: GrantVersion, pair: NewPair) =>
  ({
    state: 'ready',
    version: pair.next ?? version + 1,
    access_token_sealed: pair.accessTokenSealed,
    refresh_token_sealed: pair.refreshTokenSealed,
    scope: pair.scope,
    access_expires_at: pair.accessExpiresAt,
    refresh_at: pair.refreshAt,
    attempts: 0,
    claim_id: null,
    presented_at: null,
    doubt_since: null,
    retry_at: 0,
    restored_at: null,
    dead_at: null,
    dead_cause: null,
    ...rotationTime(pair),
    updated_at: pair.now,
  }) as const;

/**
 * Stores the pair of version v+1 by compare on v, whoever holds the claim. A late answer is never thrown away, even by
 * a database that has forgotten the claim. In a database that is older than the pair, `next` is a later version than
 * v+1.
 */
export async function storeRotation(db: Database, grant: GrantVersion, pair: NewPair): Promise<boolean> {
  const result = await db
    .updateTable('grants')
    .set(holding(grant, pair))
    .where('id', '=', grant.id)
    .where('version', '=', grant.version)
    .where('state', '<>', 'dead')
    .executeTakeFirst();
  return result.numUpdatedRows === 1n;
}

/** The causes of death that only mean that the answer was unknown. */
export const UNKNOWN_ANSWER: readonly DeathCause[] = ['lost', 'superseded'];

/** A token that stopped with this grant and that has not been connected, ended or moved since. */
const hasStoppedToken = (eb: ExpressionBuilder<Tables, 'grants'>) =>
  eb.exists(
    eb
      .selectFrom('mappings')
      .select('mappings.id')
      .whereRef('mappings.grant_id', '=', 'grants.id')
      .where('mappings.state', '=', 'reauthorization_required')
      .where('mappings.reason', 'in', UNKNOWN_ANSWER.map(stopReason)),
  );

/** The reason why the tokens of a grant stopped, in the form of their mappings. */
export function stopReason(cause: DeathCause): string {
  return `grant_${cause}`;
}

/** A newer consent of the pair (even if its grant has died since), or another live grant. */
const hasSuccessor = (eb: ExpressionBuilder<Tables, 'grants'>) =>
  eb.exists(
    eb
      .selectFrom('grants as newer')
      .select('newer.id')
      .whereRef('newer.client_id', '=', 'grants.client_id')
      .whereRef('newer.account_id', '=', 'grants.account_id')
      .whereRef('newer.id', '<>', 'grants.id')
      .where((other) =>
        other.or([
          other('newer.state', '<>', 'dead'),
          other('newer.created_at', '>', other.ref('grants.created_at')),
        ]),
      ),
  );

/**
 * Like `storeRotation`, for a grant that was given up at v because the answer was unknown. Now the answer is here and
 * the grant lives again. Not when a newer grant of the pair exists. Not when no token of the grant waits any more: then
 * the tokens were connected, ended or handed over.
 */
export async function reviveWithRotation(db: Database, grant: GrantVersion, pair: NewPair): Promise<boolean> {
  const result = await db
    .updateTable('grants')
    .set(holding(grant, pair))
    .where('id', '=', grant.id)
    .where('version', '=', grant.version)
    .where('state', '=', 'dead')
    .where('dead_cause', 'in', UNKNOWN_ANSWER)
    .where(hasStoppedToken)
    .where((eb) => eb.not(hasSuccessor(eb)))
    .executeTakeFirst();
  return result.numUpdatedRows === 1n;
}

/** Dates a presentation to now when a wrong clock dated it into the future. */
export async function redatePresentation(
  db: Database,
  { id, version }: GrantVersion,
  { seen, now }: { seen: number; now: number },
): Promise<void> {
  await db
    .updateTable('grants')
    .set({ presented_at: now })
    .where('id', '=', id)
    .where('version', '=', version)
    .where('state', '=', 'in_doubt')
    .where('presented_at', '=', seen)
    .execute();
}
