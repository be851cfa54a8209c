import { type ExpressionBuilder, sql } from 'kysely';
import { REST_MAX } from '../../shared/lifetimes.ts';
import { builtOnce, changedOne } from '../driver/built-once.ts';
import type { Database } from '../driver/store.ts';
import type { DeathCause, Grant, GrantVersion, Tables } from '../tables/tables.ts';

/**
 * How one version of a grant's pair is presented (docs/decisions/0003). Every change is one conditional update on the
 * version, and each update returns whether it won. No function here reads first and writes later.
 */

/** True when the rest is over, or was dated by a wrong clock: no rest ends after `latest`. */
export const isRested =
  (now: number, latest = now + REST_MAX) =>
  (eb: ExpressionBuilder<Tables, 'grants'>) =>
    eb.or([eb('retry_at', '<=', now), eb('retry_at', '>', latest)]);

/**
 * Takes a claim back when this attempt provably spent nothing. A second presentation returns to `in_doubt`, because the
 * proof covers this attempt only, not the earlier one.
 */
export async function releaseClaim(
  db: Database,
  { id, version }: GrantVersion,
  release: { to: 'ready' | 'in_doubt'; claimId: string; retryAt: number; now: number },
): Promise<boolean> {
  const result = await db
    .updateTable('grants')
    .set({ state: release.to, retry_at: release.retryAt, updated_at: release.now })
    .where('id', '=', id)
    .where('version', '=', version)
    .where('state', '=', 'presenting')
    .where('claim_id', '=', release.claimId)
    .executeTakeFirst();
  return result.numUpdatedRows === 1n;
}

/**
 * Ends the doubt about a claim when its attempt, the first of its version, provably spent nothing. Nobody has presented
 * the version since: a new presentation and a take-over write another claim.
 */
export async function endDoubtOfClaim(
  db: Database,
  { id, version }: GrantVersion,
  proven: { claimId: string; retryAt: number; now: number },
): Promise<boolean> {
  const result = await db
    .updateTable('grants')
    .set({
      state: 'ready',
      doubt_since: null,
      doubted_at: null,
      retry_at: proven.retryAt,
      updated_at: proven.now,
    })
    .where('id', '=', id)
    .where('version', '=', version)
    .where('state', '=', 'in_doubt')
    .where('claim_id', '=', proven.claimId)
    .where('restored_at', 'is', null)
    .executeTakeFirst();
  return result.numUpdatedRows === 1n;
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

/**
 * Puts a grant in doubt behind those that wait longer for a look, without a rest. Nothing changes where the look that was
 * begun at the read row has left a trace.
 */
export async function goBehind(
  db: Database,
  { id, version, claim_id: claimId, retry_at: retryAt }: GrantVersion & Pick<Grant, 'claim_id' | 'retry_at'>,
  now: number,
): Promise<void> {
  await db
    .updateTable('grants')
    .set({ retry_at: now })
    .where('id', '=', id)
    .where('version', '=', version)
    .where('state', '=', 'in_doubt')
    .where('claim_id', 'is not distinct from', claimId)
    .where('retry_at', '=', retryAt)
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
const rotationTime = ({ answeredAt, now }: NewPair): { rotated_at?: number } =>
  answeredAt === undefined ? {} : { rotated_at: Math.min(answeredAt, now) };

type HeldPair = Pick<NewPair, keyof SealedPair | 'now'> & { next: number };

/** The columns of a row that holds the pair of the version `next`. */
const holding = (pair: HeldPair) =>
  ({
    state: 'ready',
    version: pair.next,
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
    updated_at: pair.now,
  }) as const;

/** The version that a pair gets: the one after the version that was presented, or a later one. */
const held = ({ version }: GrantVersion, pair: NewPair): NewPair & HeldPair => ({
  ...pair,
  next: pair.next ?? version + 1,
});

const storing = builtOnce((db: Database, pair: GrantVersion & HeldPair & { rotatedAt: number | null }) =>
  db
    .updateTable('grants')
    .set(holding(pair))
    .set((eb) => ({ rotated_at: eb.fn.coalesce(eb.val(pair.rotatedAt), 'rotated_at') }))
    .where('id', '=', pair.id)
    .where('version', '=', pair.version)
    .where('state', '<>', sql.lit('dead'))
    .compile(),
);

/**
 * Stores the pair of version v+1 by compare on v, whoever holds the claim. A late answer is never thrown away, even by
 * a database that has forgotten the claim. In a database that is older than the pair, `next` is a later version than
 * v+1.
 */
export async function storeRotation(db: Database, grant: GrantVersion, pair: NewPair): Promise<boolean> {
  const { id, version } = grant;
  const rotatedAt = rotationTime(pair).rotated_at ?? null;
  return changedOne(await storing(db, { id, version, rotatedAt, ...held(grant, pair) }));
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
    .set({ ...holding(held(grant, pair)), ...rotationTime(pair) })
    .where('id', '=', grant.id)
    .where('version', '=', grant.version)
    .where('state', '=', 'dead')
    .where('dead_cause', 'in', UNKNOWN_ANSWER)
    .where(hasStoppedToken)
    .where((eb) => eb.not(hasSuccessor(eb)))
    .executeTakeFirst();
  return result.numUpdatedRows === 1n;
}

/**
 * Dates a presentation to now when a wrong clock dated it into the future. A doubt of a take-over goes on being one: its
 * two dates stay the same.
 */
export async function redatePresentation(
  db: Database,
  { id, version }: GrantVersion,
  { seen, now }: { seen: number; now: number },
): Promise<void> {
  await db
    .updateTable('grants')
    .set((eb) => ({
      presented_at: now,
      restored_at: eb.case().when('restored_at', '=', seen).then(now).else(eb.ref('restored_at')).end(),
    }))
    .where('id', '=', id)
    .where('version', '=', version)
    .where('state', '=', 'in_doubt')
    .where('presented_at', '=', seen)
    .execute();
}
