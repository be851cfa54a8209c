import { createHash } from 'node:crypto';
import type { Database } from './database.ts';

export interface RecordRow {
  idDigest: string;
  payload: string;
  consumedAt: number | null;
}

export interface NewOidcRecord {
  id: string;
  /** Gets the digest of the id and can bind the payload to its row. */
  payload: (idDigest: string) => string;
  grantId: string | undefined;
  uid: string | undefined;
  accountId: string | undefined;
  clientId: string | undefined;
  /** Unix seconds. */
  expiresAt: number | undefined;
}

/** Statements over `oidc_records`. Callers pass plain ids; this file digests the ids. */
export type OidcRecords = ReturnType<typeof createOidcRecords>;

const digest = (id: string) => createHash('sha256').update(id).digest('base64url');
const now = () => Math.floor(Date.now() / 1000);

// A token without a grant row counts as gone: a refresh that runs while its grant is revoked may still write a new
// token pair afterwards.
const FIND = `
  select id_digest as idDigest, payload, consumed_at as consumedAt from oidc_records as r
  where kind = ? and id_digest = ? and (grant_id is null or exists (
    select 1 from oidc_records as g where g.kind = 'Grant' and g.grant_id = r.grant_id))`;

const FIND_BY_UID = `
  select id_digest as idDigest, payload, consumed_at as consumedAt from oidc_records
  where uid = ? and kind = ?`;

const UPSERT = `
  insert into oidc_records
    (kind, id_digest, payload, grant_id, uid, account_id, client_id, created_at, expires_at)
  values (?, ?, ?, ?, ?, ?, ?, ?, ?)
  on conflict (kind, id_digest) do update set
    payload = excluded.payload, grant_id = excluded.grant_id, uid = excluded.uid,
    account_id = excluded.account_id, client_id = excluded.client_id, expires_at = excluded.expires_at`;

// One statement: a grant ends together with all its codes and tokens, or not at all. An exchange that is still running
// may write a token afterwards. The grant of this token is gone, and `find` does not return the token.
const REVOKE_APP = `
  delete from oidc_records where grant_id in (
    select grant_id from oidc_records
    where kind = 'Grant' and client_id = @clientId and (@accountId is null or account_id = @accountId))`;

/** How many authorization requests may wait for a person. */
const MOST_WAITING = 10_000;

// Nobody needs to sign in to begin an authorization request. Where very many wait, those that expire first leave, so
// that the file stays small and a new request is never refused.
const DROP_WAITING = `
  delete from oidc_records where kind = 'Interaction' and id_digest in (
    select id_digest from oidc_records where kind = 'Interaction'
    order by expires_at desc limit -1 offset ${MOST_WAITING})`;

/** How many expired rows one statement removes: requests are answered between two statements. */
const PURGED_AT_ONCE = 1000;

const PURGE = `
  delete from oidc_records where (kind, id_digest) in (
    select kind, id_digest from oidc_records where expires_at < ? limit ${PURGED_AT_ONCE})`;

const CONSUME = `
  update oidc_records set consumed_at = ?
  where kind = ? and id_digest = ? and consumed_at is null`;

function prepareStatements(db: Database) {
  return {
    find: db.prepare<[string, string], RecordRow>(FIND),
    findByUid: db.prepare<[string, string], RecordRow>(FIND_BY_UID),
    grantOf: db
      .prepare<[string, string], string | null>(
        'select grant_id from oidc_records where kind = ? and id_digest = ?',
      )
      .pluck(),
    grantOfSpent: db
      .prepare<[string, string], string>(
        `select grant_id from oidc_records
         where kind = 'RefreshToken' and id_digest = ? and client_id = ? and consumed_at is not null`,
      )
      .pluck(),
    upsert: db.prepare(UPSERT),
    consume: db.prepare(CONSUME),
    release: db.prepare('update oidc_records set consumed_at = null where kind = ? and id_digest = ?'),
    destroy: db.prepare('delete from oidc_records where kind = ? and id_digest = ?'),
    destroyByUid: db.prepare('delete from oidc_records where uid = ? and kind = ?'),
    endSessions: db.prepare("delete from oidc_records where kind = 'Session' and account_id = ?"),
    revokeKind: db.prepare('delete from oidc_records where grant_id = ? and kind = ?'),
    revokeGrant: db.prepare('delete from oidc_records where grant_id = ?'),
    revokeApp: db.prepare(REVOKE_APP),
    dropWaiting: db.prepare(DROP_WAITING),
    purge: db.prepare(PURGE),
  };
}

/** Only `consume` spends a code or refresh token: one conditional update, true for the winner. */
export function createOidcRecords(db: Database) {
  const run = prepareStatements(db);
  return {
    find: (kind: string, id: string) => run.find.get(kind, digest(id)),
    findByUid: (kind: string, uid: string) => run.findByUid.get(uid, kind),
    grantOf: (kind: string, id: string) => run.grantOf.get(kind, digest(id)) ?? undefined,
    /** The grant of a refresh token that this client has already used. */
    grantOfSpent: (token: string, clientId: string) => run.grantOfSpent.get(digest(token), clientId),
    upsert(kind: string, record: NewOidcRecord): void {
      const { id, payload, grantId, uid, accountId, clientId, expiresAt } = record;
      const references = [grantId, uid, accountId, clientId].map((value) => value ?? null);
      const idDigest = digest(id);
      run.upsert.run(kind, idDigest, payload(idDigest), ...references, now(), expiresAt ?? null);
      if (kind === 'Interaction') run.dropWaiting.run();
    },
    consume: (kind: string, id: string): boolean => run.consume.run(now(), kind, digest(id)).changes === 1,
    /**
     * Makes a spent code or refresh token valid again when the app got no tokens for it. Does nothing when the grant
     * has ended since.
     */
    release: (kind: string, id: string) => void run.release.run(kind, digest(id)),
    destroy: (kind: string, id: string) => void run.destroy.run(kind, digest(id)),
    destroyByUid: (kind: string, uid: string) => void run.destroyByUid.run(uid, kind),
    endSessions: (accountId: string) => void run.endSessions.run(accountId),
    revokeKind: (kind: string, grantId: string) => void run.revokeKind.run(grantId, kind),
    revokeGrant: (grantId: string) => void run.revokeGrant.run(grantId),
    /**
     * Ends the grants that an account gave to an app. Without `accountId`: the grants of all accounts. False when there
     * was no grant.
     */
    revokeApp: (clientId: string, accountId?: string): boolean =>
      run.revokeApp.run({ clientId, accountId: accountId ?? null }).changes > 0,
    /** Removes some of the expired rows. True when more may be left. */
    purgeExpired: (): boolean => run.purge.run(now()).changes === PURGED_AT_ONCE,
  };
}
