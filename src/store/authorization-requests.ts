import type { Updateable } from 'kysely';
import type { Database } from './store.ts';
import type { AuthorizationRequest, LegacyRequest, NewAuthorizationRequest, Tables } from './tables.ts';

/** Keeps a new authorization request. */
export async function insertRequest(db: Database, request: NewAuthorizationRequest): Promise<void> {
  await db.insertInto('authorization_requests').values(request).execute();
}

/** A request by id, whatever its phase, unless it is over. */
async function findRequest(db: Database, id: string, now: number): Promise<AuthorizationRequest | undefined> {
  return db
    .selectFrom('authorization_requests')
    .selectAll()
    .where('id', '=', id)
    .where('expires_at', '>', now)
    .executeTakeFirst();
}

/** A request that an old app made, unless it is over. */
export async function findLegacyRequest(
  db: Database,
  id: string,
  now: number,
): Promise<LegacyRequest | undefined> {
  const request = await findRequest(db, id, now);
  return request && isLegacy(request) ? request : undefined;
}

/** Whether an old app made it. */
export function isLegacy(request: AuthorizationRequest): request is LegacyRequest {
  return request.purpose === 'legacy' && request.client_id !== null && request.redirect_uri !== null;
}

/** Binds a request to the first browser that opens it; the caller reads the row again to see who won. */
export async function bindBrowser(db: Database, id: string, browserDigest: string): Promise<void> {
  await db
    .updateTable('authorization_requests')
    .set({ browser_digest: browserDigest })
    .where('id', '=', id)
    .where('browser_digest', 'is', null)
    .execute();
}

interface Claim {
  id: string;
  browserDigests: readonly string[];
  now: number;
}

type Decision = Updateable<Tables['authorization_requests']>;

/** Takes the one decision of a request that is new, unexpired and of this browser; false when it was taken before. */
async function decide(
  db: Database,
  { id, browserDigests, now }: Claim,
  decision: Decision,
): Promise<boolean> {
  const result = await db
    .updateTable('authorization_requests')
    .set(decision)
    .where('id', '=', id)
    .where('phase', '=', 'new')
    .where('browser_digest', 'in', browserDigests)
    .where('expires_at', '>', now)
    .executeTakeFirst();
  return result.numUpdatedRows === 1n;
}

/** Ends the approval by a denial, once. */
export async function claimDenial(db: Database, claim: Claim): Promise<boolean> {
  return decide(db, claim, { phase: 'denied' });
}

/** Ends the approval by sending the browser upstream, once, with the upstream state and verifier of this consent. */
export async function claimConsent(
  db: Database,
  claim: Claim,
  upstream: { stateDigest: string; verifierSealed: string },
): Promise<boolean> {
  return decide(db, claim, {
    phase: 'consenting',
    upstream_state_digest: upstream.stateDigest,
    verifier_sealed: upstream.verifierSealed,
  });
}

/**
 * Takes a request back from the modern side, once: the state is known, unused, unexpired and of this browser, or the
 * answer is undefined and nothing has changed.
 */
export async function claimReturn(
  db: Database,
  claim: { stateDigests: readonly string[]; browserDigests: readonly string[]; now: number },
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

/** Removes requests that ended before the given time. */
export async function deleteRequestsBefore(db: Database, time: number): Promise<void> {
  await db.deleteFrom('authorization_requests').where('expires_at', '<', time).execute();
}
