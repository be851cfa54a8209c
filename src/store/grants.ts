import { REST_MAX } from '../shared/lifetimes.ts';
import type { Database } from './store.ts';
import type { DeathCause, Grant, NewGrant } from './tables.ts';

/**
 * The versioned state of modern grants (design 4). Every change is one conditional update on the version, and each
 * answers whether it won; nothing here reads first and writes later.
 */

/** Names one version of one grant's token pair. */
export interface GrantVersion {
  id: string;
  version: number;
}

/** Keeps a new grant as `ready`. */
export async function insertGrant(tx: Database, grant: NewGrant): Promise<void> {
  await tx.insertInto('grants').values(grant).execute();
}

/** A grant by id. */
export async function findGrant(db: Database, id: string): Promise<Grant | undefined> {
  return db.selectFrom('grants').selectAll().where('id', '=', id).executeTakeFirst();
}

/** The one live grant of an app and account. */
export async function findLiveGrant(
  db: Database,
  clientId: string,
  accountId: string,
): Promise<Grant | undefined> {
  return db
    .selectFrom('grants')
    .selectAll()
    .where('client_id', '=', clientId)
    .where('account_id', '=', accountId)
    .where('state', '<>', 'dead')
    .executeTakeFirst();
}

/** How many other live grants of the same account stand on the same modern client. */
export async function countSiblings(
  db: Database,
  grant: Pick<Grant, 'id' | 'account_id' | 'modern_client_id'>,
): Promise<number> {
  const row = await db
    .selectFrom('grants')
    .select((eb) => eb.fn.countAll<number>().as('n'))
    .where('account_id', '=', grant.account_id)
    .where('modern_client_id', '=', grant.modern_client_id)
    .where('state', '<>', 'dead')
    .where('id', '<>', grant.id)
    .executeTakeFirstOrThrow();
  return row.n;
}

/** What a claim was decided on; a row that has changed since is not claimed. */
interface ClaimDecision {
  from: 'ready' | 'in_doubt';
  /** `presented_at` as it was read: another presentation since then starts the quiet time anew. */
  seenPresentedAt: number | null;
  now: number;
}

/** Claims the right to present version v, durably, before the first byte leaves. */
export async function claimPresenting(
  db: Database,
  { id, version }: GrantVersion,
  { from, seenPresentedAt, now }: ClaimDecision,
): Promise<boolean> {
  const result = await db
    .updateTable('grants')
    .set((eb) => ({
      state: 'presenting',
      presented_at: now,
      attempts: eb('attempts', '+', 1),
      updated_at: now,
    }))
    .where('id', '=', id)
    .where('version', '=', version)
    .where('state', '=', from)
    .where('presented_at', 'is', seenPresentedAt)
    .where((eb) => eb.or([eb('retry_at', '<=', now), eb('retry_at', '>', now + REST_MAX)]))
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
  release: { to: 'ready' | 'in_doubt'; presentedAt: number; retryAt: number; now: number },
): Promise<void> {
  await db
    .updateTable('grants')
    .set({ state: release.to, retry_at: release.retryAt, updated_at: release.now })
    .where('id', '=', id)
    .where('version', '=', version)
    .where('state', '=', 'presenting')
    .where('presented_at', '=', release.presentedAt)
    .execute();
}

/** Puts off the next attempt at a grant that nobody is presenting. */
export async function postponeRefresh(
  db: Database,
  { id, version }: GrantVersion,
  retryAt: number,
): Promise<void> {
  await db
    .updateTable('grants')
    .set((eb) => ({ retry_at: retryAt, attempts: eb('attempts', '+', 1) }))
    .where('id', '=', id)
    .where('version', '=', version)
    .where('state', 'in', ['ready', 'in_doubt'])
    .execute();
}

/** Records that the outcome of the presentation claimed at `presentedAt` is unknown. */
export async function markInDoubt(
  db: Database,
  { id, version }: GrantVersion,
  doubt: { presentedAt: number; retryAt: number; now: number },
): Promise<boolean> {
  const result = await db
    .updateTable('grants')
    .set((eb) => ({
      state: 'in_doubt',
      doubt_since: eb.fn.coalesce('doubt_since', eb.val(doubt.now)),
      retry_at: doubt.retryAt,
      updated_at: doubt.now,
    }))
    .where('id', '=', id)
    .where('version', '=', version)
    .where('state', '=', 'presenting')
    .where('presented_at', '=', doubt.presentedAt)
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
}

/** Stores the pair of version v+1 by compare on v, whoever holds the claim: a late answer is never thrown away. */
export async function storeRotation(
  db: Database,
  { id, version }: GrantVersion,
  pair: SealedPair & { now: number },
): Promise<boolean> {
  const result = await db
    .updateTable('grants')
    .set({
      state: 'ready',
      version: version + 1,
      access_token_sealed: pair.accessTokenSealed,
      refresh_token_sealed: pair.refreshTokenSealed,
      scope: pair.scope,
      access_expires_at: pair.accessExpiresAt,
      refresh_at: pair.refreshAt,
      attempts: 0,
      presented_at: null,
      doubt_since: null,
      retry_at: 0,
      updated_at: pair.now,
    })
    .where('id', '=', id)
    .where('version', '=', version)
    .where('state', 'in', ['presenting', 'in_doubt'])
    .executeTakeFirst();
  return result.numUpdatedRows === 1n;
}

/** The current access token was refused: it serves nobody any more. */
export async function expireAccessToken(
  db: Database,
  { id, version }: GrantVersion,
  now: number,
): Promise<void> {
  await db
    .updateTable('grants')
    .set({ access_expires_at: now, refresh_at: now })
    .where('id', '=', id)
    .where('version', '=', version)
    .where('access_expires_at', '>', now)
    .execute();
}

/** A fresh access token was refused: the main API is not asked for this grant before the given time. */
export async function markSuspect(db: Database, id: string, until: number): Promise<void> {
  await db
    .updateTable('grants')
    .set((eb) => ({ suspect_count: eb('suspect_count', '+', 1), suspect_until: until }))
    .where('id', '=', id)
    .execute();
}

/** The main API took an access token of this grant again. */
export async function clearSuspicion(db: Database, id: string): Promise<void> {
  await db.updateTable('grants').set({ suspect_count: 0, suspect_until: 0 }).where('id', '=', id).execute();
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

interface Death {
  cause: DeathCause;
  now: number;
  /** Erased at once where nobody may need it again; otherwise kept for support and erased by the purge. */
  eraseTokens: boolean;
}

/** Ends a grant; with a version only if that version is still the current one. */
export async function markDead(
  tx: Database,
  { id, version }: { id: string; version?: number },
  { cause, now, eraseTokens }: Death,
): Promise<boolean> {
  let query = tx
    .updateTable('grants')
    .set({ state: 'dead', dead_cause: cause, dead_at: now, updated_at: now })
    .where('id', '=', id)
    .where('state', '<>', 'dead');
  if (version !== undefined) query = query.where('version', '=', version);
  if (eraseTokens) query = query.set({ access_token_sealed: null, refresh_token_sealed: null });
  return (await query.executeTakeFirst()).numUpdatedRows === 1n;
}

/** Erases the sealed pairs of grants that died before the given time. */
export async function eraseDeadBefore(db: Database, time: number): Promise<void> {
  await db
    .updateTable('grants')
    .set({ access_token_sealed: null, refresh_token_sealed: null })
    .where('state', '=', 'dead')
    .where('dead_at', '<', time)
    .where('refresh_token_sealed', 'is not', null)
    .execute();
}
