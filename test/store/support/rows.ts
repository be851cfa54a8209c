import { upsertAccount } from '../../../src/store/accounts/accounts.ts';
import { insertApp } from '../../../src/store/apps/apps.ts';
import { insertGrant } from '../../../src/store/grants/grants.ts';
import type { Database } from '../../../src/store/driver/store.ts';
import type { NewGrant, NewLegacyCode } from '../../../src/store/tables/tables.ts';

/** Rows that a test of the store stands on. */

export const APP = 'a'.repeat(24);
export const ACCOUNT = 'b'.repeat(24);
export const CALLBACK = 'https://a.example/';

/** An app with one callback and one secret. */
async function keepApp(db: Database, clientId: string): Promise<boolean> {
  const app = {
    client_id: clientId,
    name: 'A',
    owner_account_id: null,
    owner_email: null,
    source: 'registered',
    created_at: 0,
    retired_at: null,
  } as const;
  return insertApp(db, app, { callbacks: [CALLBACK], secretId: `s-${clientId}`, secretDigest: 'd' });
}

/** The app and the account that the grants below stand on. */
export async function keepAppAndAccount(db: Database): Promise<void> {
  await upsertAccount(db, { account_id: ACCOUNT, updated_at: 0 });
  await keepApp(db, APP);
}

export function grantRow(id: string, changes: Partial<NewGrant> = {}): NewGrant {
  return {
    id,
    client_id: APP,
    account_id: ACCOUNT,
    modern_client_id: 'bridge',
    state: 'ready',
    version: 1,
    access_token_sealed: 'x',
    refresh_token_sealed: 'y',
    scope: 'account:read',
    access_expires_at: 10_000,
    refresh_at: 8_000,
    created_at: 0,
    updated_at: 0,
    rotated_at: 0,
    ...changes,
  };
}

/** A grant of an app of its own, for an app and account have one that lives. */
export async function keepGrant(db: Database, id: string, changes: Partial<NewGrant> = {}): Promise<void> {
  await keepApp(db, `app-of-${id}`);
  await insertGrant(db, grantRow(id, { client_id: `app-of-${id}`, ...changes }));
}

/** A code of the grant `g1` that lives from second 1 to second 31. */
export const codeRow: NewLegacyCode = {
  code_digest: 'c',
  client_id: APP,
  redirect_uri: CALLBACK,
  redirect_uri_given: 1,
  account_id: ACCOUNT,
  grant_id: 'g1',
  created_at: 1_000,
  expires_at: 31_000,
};
