import { sql, type SqlBool } from 'kysely';
import { deletePiece, FIRST_PIECE, type PieceResult } from '../driver/pieces.ts';
import type { Database } from '../driver/store.ts';
import type { AuthorizationRequest, LegacyRequest, NewAuthorizationRequest } from '../tables/tables.ts';

/**
 * Keeps an authorization request when its one decision is made. False when the request was decided before, because the
 * id is the key. A row that an earlier version wrote before the decision takes the decision too.
 */
export async function insertDecision(db: Database, request: NewAuthorizationRequest): Promise<boolean> {
  const inserted = await db
    .insertInto('authorization_requests')
    .values(request)
    .onConflict((conflict) =>
      conflict
        .column('id')
        .doUpdateSet((eb) => ({
          phase: eb.ref('excluded.phase'),
          browser_digest: eb.ref('excluded.browser_digest'),
          upstream_state_digest: eb.ref('excluded.upstream_state_digest'),
          verifier_sealed: eb.ref('excluded.verifier_sealed'),
          modern_client_id: eb.ref('excluded.modern_client_id'),
          consent_scopes: eb.ref('excluded.consent_scopes'),
          callback_path: eb.ref('excluded.callback_path'),
        }))
        .where('authorization_requests.phase', '=', 'new'),
    )
    .executeTakeFirst();
  return inserted.numInsertedOrUpdatedRows === 1n;
}

/** Whether a request was decided. */
export async function isDecided(db: Database, id: string): Promise<boolean> {
  const row = await db
    .selectFrom('authorization_requests')
    .select('phase')
    .where('id', '=', id)
    .executeTakeFirst();
  return row !== undefined && row.phase !== 'new';
}

/** A request of an old app that an earlier version kept before the decision, unless the request has expired. */
export async function findUndecided(
  db: Database,
  id: string,
  now: number,
): Promise<LegacyRequest | undefined> {
  const row = await db
    .selectFrom('authorization_requests')
    .selectAll()
    .where('id', '=', id)
    .where('phase', '=', 'new')
    .where('expires_at', '>', now)
    .executeTakeFirst();
  return row && isLegacy(row) ? row : undefined;
}

/** Whether an old app made the request. */
export function isLegacy(request: AuthorizationRequest): request is LegacyRequest {
  return request.purpose === 'legacy' && request.client_id !== null && request.redirect_uri !== null;
}

/** A request whose browser has left for the new API and has not come back; only for this browser. */
export async function findLeft(
  db: Database,
  { id, browserDigests, now }: { id: string; browserDigests: readonly string[]; now: number },
): Promise<AuthorizationRequest | undefined> {
  return db
    .selectFrom('authorization_requests')
    .selectAll()
    .where('id', '=', id)
    .where('phase', '=', 'consenting')
    .where('browser_digest', 'in', browserDigests)
    .where('expires_at', '>', now)
    .executeTakeFirst();
}

/** A return from the new API: digests of its state and of its browser under every key. */
export interface ReturnDigests {
  stateDigests: readonly string[];
  browserDigests: readonly string[];
  now: number;
}

/** Whether `claimReturn` would find a request. Takes no lock, so that invented returns cannot block writes. */
export async function awaitsReturn(db: Database, digests: ReturnDigests): Promise<boolean> {
  const row = await db
    .selectFrom('authorization_requests')
    .select('id')
    .where('upstream_state_digest', 'in', digests.stateDigests)
    .where('phase', '=', 'consenting')
    .where('browser_digest', 'in', digests.browserDigests)
    .where('expires_at', '>', digests.now)
    .executeTakeFirst();
  return row !== undefined;
}

/**
 * Claims the return of a request from the new API, once. The state must be known, unused, unexpired and of this
 * browser; otherwise the result is undefined and nothing changes.
 */
export async function claimReturn(
  db: Database,
  claim: ReturnDigests,
): Promise<AuthorizationRequest | undefined> {
  return db
    .updateTable('authorization_requests')
    .set({ phase: 'returned' })
    .where('upstream_state_digest', 'in', claim.stateDigests)
    .where('phase', '=', 'consenting')
    .where('browser_digest', 'in', claim.browserDigests)
    .where('expires_at', '>', claim.now)
    .returningAll()
    .executeTakeFirst();
}

const byExpiry = { table: 'authorization_requests', key: 'id', by: 'expires_at' } as const;

/** Removes a piece of the requests that ended before the given time and never came back from the new API. */
export function deleteUnfinishedBefore(
  db: Database,
  time: number,
  piece = FIRST_PIECE,
): Promise<PieceResult> {
  const which = sql<SqlBool>`expires_at < ${time} and phase <> 'returned'`;
  return deletePiece(db, { ...byExpiry, which }, piece);
}

/** Removes a piece of the requests that ended before the given time. */
export function deleteRequestsBefore(db: Database, time: number, piece = FIRST_PIECE): Promise<PieceResult> {
  return deletePiece(db, { ...byExpiry, which: sql<SqlBool>`expires_at < ${time}` }, piece);
}
