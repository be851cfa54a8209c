import { errors } from '../provider/oidc.ts';
import type { Adapter, AdapterFactory, AdapterPayload } from '../provider/oidc.ts';
import type { Accounts } from './accounts.ts';
import type { Clients } from './clients/clients.ts';
import type { NewOidcRecord, OidcRecords, RecordRow } from './oidc-records.ts';
import type { Sealer } from './sealing.ts';

export interface OidcAdapterDeps {
  records: OidcRecords;
  accounts: Accounts;
  clients: Clients;
  sealer: Sealer;
}

/** Kinds of records that end with their grant. */
const TOKENS = new Set(['AccessToken', 'AuthorizationCode', 'RefreshToken']);

/**
 * An interaction repeats its own id inside `returnTo` and the session cookie inside `session`. A session may hold the
 * secret of a sign-out form. The provider needs these values. The payloads of both kinds are therefore sealed as a
 * whole.
 */
const SEALED = new Set(['Interaction', 'Session']);

function toRecord(
  kind: string,
  id: string,
  payload: AdapterPayload,
): Omit<NewOidcRecord, 'payload' | 'expiresAt'> {
  return {
    id,
    grantId: kind === 'Grant' ? id : TOKENS.has(kind) ? payload.grantId : undefined,
    uid: kind === 'Session' ? payload.uid : undefined,
    accountId: payload.accountId,
    clientId: payload.clientId,
  };
}

/**
 * Whether the session comes from a login with a password that was changed since. Every read checks this: a login that
 * runs during a password change is written only after the change.
 */
const isOutdated = (accounts: Accounts, { accountId, loginTs = 0 }: AdapterPayload): boolean =>
  accountId !== undefined && accounts.isLoginOutdated(accountId, loginTs);

/**
 * Storage of every provider model but clients. Callers pass plain values; the store keeps digests and stripped or
 * sealed payloads.
 */
function recordAdapter(kind: string, { records, accounts, sealer }: OidcAdapterDeps): Adapter {
  const place = (idDigest: string) => `${kind}|${idDigest}`;
  const pack =
    ({ jti: _id, ...rest }: AdapterPayload) =>
    (idDigest: string) => {
      const text = JSON.stringify(rest);
      return SEALED.has(kind) ? sealer.seal(text, place(idDigest)) : text;
    };
  const unpack = (row: RecordRow | undefined, id?: string): AdapterPayload | undefined => {
    const text = row && SEALED.has(kind) ? sealer.open(row.payload, place(row.idDigest)) : row?.payload;
    if (!row || text === undefined) return undefined;
    const payload: AdapterPayload = JSON.parse(text);
    if (id !== undefined) payload.jti = id;
    if (row.consumedAt !== null) payload.consumed = row.consumedAt;
    return kind === 'Session' && isOutdated(accounts, payload) ? undefined : payload;
  };
  return {
    async upsert(id, payload, expiresIn) {
      const expiresAt = expiresIn === undefined ? undefined : Math.floor(Date.now() / 1000) + expiresIn;
      records.upsert(kind, { ...toRecord(kind, id, payload), payload: pack(payload), expiresAt });
    },
    find: async (id) => unpack(records.find(kind, id), id),
    // The provider reads a session by uid only to compare its account, and never saves this copy. The copy needs no
    // cookie value.
    findByUid: async (uid) => unpack(records.findByUid(kind, uid)),
    findByUserCode: async () => undefined,
    async consume(id) {
      if (records.consume(kind, id)) return;
      // A refresh token works once. When two uses arrive together, the second use ends the grant of the first.
      const grantId = records.grantOf(kind, id);
      if (grantId !== undefined) records.revokeGrant(grantId);
      throw new errors.InvalidGrant(`${kind} already used`);
    },
    async destroy(id) {
      if (kind === 'Grant') records.revokeGrant(id);
      else records.destroy(kind, id);
    },
    revokeByGrantId: async (grantId) => records.revokeKind(kind, grantId),
  };
}

async function refuse(): Promise<never> {
  throw new Error('clients are registered on the settings pages alone');
}

function clientAdapter(clients: Clients): Adapter {
  return {
    find: async (id) => clients.find(id),
    upsert: refuse,
    findByUid: refuse,
    findByUserCode: refuse,
    consume: refuse,
    destroy: refuse,
    revokeByGrantId: refuse,
  };
}

export function createAdapterFactory(parts: OidcAdapterDeps): AdapterFactory {
  return (kind) => (kind === 'Client' ? clientAdapter(parts.clients) : recordAdapter(kind, parts));
}
