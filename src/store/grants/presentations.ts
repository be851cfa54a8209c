import type { ExpressionBuilder } from 'kysely';
import { REST_MAX } from '../../shared/lifetimes.ts';
import { isUndisturbed, type SeenBreaker } from './refresh-breaker.ts';
import { isOriginal, type SeenInstance } from '../instance/instance.ts';
import type { Database } from '../driver/store.ts';
import type { DeathCause, GrantVersion, Tables } from '../tables/tables.ts';

/**
 * How one version of a grant's pair is presented (docs/decisions/0003). Every change is one conditional update on the
 * version, and each answers whether it won; nothing here reads first and writes later.
 */

/** What a claim was decided on; a row that has changed since is not claimed. */
export interface ClaimDecision {
  from: 'ready' | 'in_doubt';
  /** The claim before, as it was read: another presentation since then starts the quiet time anew. */
  seenClaim: string | null;
  /** Names this claim; no other ever has the same. */
  claimId: string;
  /** Only while no other live grant of the account stands on the same modern client. */
  ifAlone?: boolean;
  now: number;
  /** The database as it was seen: on a copy of it, or on an older one, nothing is claimed (docs/decisions/0010). */
  instance: SeenInstance;
  /** Only while no answer was lost since the breaker was read. */
  breaker?: SeenBreaker | undefined;
}

/** Rests are over, or were dated by a clock that was wrong. */
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
      // A pair that was handed over lives on there, with another holder.
      .where((on) => on.or([on('other.state', '<>', 'dead'), on('other.dead_cause', '=', 'handed_over')])),
  );

/** Claims the right to present version v, durably, before the first byte leaves. */
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
 * Takes a claim back on proof that this attempt spent nothing. A second presentation returns to `in_doubt`: the proof
 * is about this attempt, not about the earlier one.
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

/** Puts off the next attempt at a grant that nobody is presenting. */
export async function postponeRefresh(
  db: Database,
  { id, version }: GrantVersion,
  retryAt: number,
): Promise<void> {
  return restUntil(db, { id, version }, { retryAt, putOffAt: null });
}

/** The same; `putOffAt` says when, where it is for a connection that did not come about. */
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

/** Ends the rest of a grant that waits for a connection, unless somebody has changed it since it was read. */
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
 * Records that the outcome of a claimed presentation is unknown; `isHeard` says that its own process waited for the
 * answer in vain, which speaks of the way to the modern side where the end of a process does not.
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

/** A received pair with the times that follow from it, already sealed for version v+1. */
export interface SealedPair {
  accessTokenSealed: string;
  refreshTokenSealed: string;
  scope: string;
  accessExpiresAt: number;
  refreshAt: number;
  /** When the answer with it came; files of earlier versions do not say. */
  answeredAt?: number | undefined;
}

type NewPair = SealedPair & { now: number; next?: number };

/**
 * When the pair came, which may be long before it is stored: what is stored late says nothing of how answers come now.
 * Where that is not known, the row keeps the older date.
 */
const rotationTime = ({ answeredAt, now }: NewPair) =>
  answeredAt === undefined ? {} : { rotated_at: Math.min(answeredAt, now) };

/** What a row says once it holds the pair that followed on the given version. */
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
 * Stores the pair of version v+1 by compare on v, whoever holds the claim: a late answer is never thrown away, and not
 * even a database that has forgotten the claim is a reason to. In a database that is older than the pair, `next` is a
 * later version than v+1.
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

/** The causes of a death that only say that nobody knew the answer. */
export const UNKNOWN_ANSWER: readonly DeathCause[] = ['lost', 'superseded'];

/** A token that stopped with this grant and that nobody has connected, ended or moved since. */
const hasStoppedToken = (eb: ExpressionBuilder<Tables, 'grants'>) =>
  eb.exists(
    eb
      .selectFrom('mappings')
      .select('mappings.id')
      .whereRef('mappings.grant_id', '=', 'grants.id')
      .where('mappings.state', '=', 'reauthorization_required')
      .where('mappings.reason', 'in', UNKNOWN_ANSWER.map(stopReason)),
  );

/** Why the tokens of a grant stopped, as their mappings keep it. */
export function stopReason(cause: DeathCause): string {
  return `grant_${cause}`;
}

/** A newer consent of the pair, or another grant that lives; a newer one that has died since counts too. */
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
 * The same for a grant that was given up at v because nobody knew the answer, and here is the answer: it lives again. Not
 * where a newer grant of the pair stands, and not where none of its tokens waits for it any more: then somebody has
 * connected, ended or handed over what it served.
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

/** A presentation that a wrong clock dated into the future counts from now on. */
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
