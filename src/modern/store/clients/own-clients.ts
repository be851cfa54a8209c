import { newHexId } from '../../../shared/ids.ts';
import type { AppUses } from './app-uses.ts';
import { createClientSecrets, MAX_SECRETS, type SecretRecord } from './client-secrets.ts';
import type { Database } from '../database.ts';
import type { SecretDigester } from '../digests.ts';
import type { OidcRecords } from '../oidc-records.ts';
import type { UsedForms } from '../used-forms.ts';

export interface OwnClient {
  clientId: string;
  name: string;
  confidential: boolean;
  redirectUris: string[];
  /** ISO 8601. */
  createdAt: string;
}

/** The fields of a client that a person enters. */
export interface ClientFields {
  name: string;
  /** Kept exactly as entered, and compared as whole strings. */
  redirectUris: string[];
}

/** The owner of the client, and the form that was sent. */
interface ClientFormRequest {
  accountId: string;
  form: string;
}

export const MAX_CLIENTS = 20;

interface Row extends Omit<OwnClient, 'confidential' | 'redirectUris'> {
  confidential: number;
  redirectUris: string;
}

const COLUMNS =
  'client_id as clientId, name, confidential, redirect_uris as redirectUris, created_at as createdAt';

function prepareStatements(db: Database) {
  return {
    list: db.prepare<[string], Row>(
      `select ${COLUMNS} from clients where account_id = ? order by created_at, client_id`,
    ),
    one: db.prepare<[string, string], Row>(
      `select ${COLUMNS} from clients where account_id = ? and client_id = ?`,
    ),
    insert: db.prepare(`
      insert into clients (client_id, account_id, name, confidential, redirect_uris, created_at)
      values (?, ?, ?, ?, ?, ?)`),
    update: db.prepare(
      'update clients set name = ?, redirect_uris = ? where account_id = ? and client_id = ?',
    ),
    remove: db.prepare('delete from clients where account_id = ? and client_id = ?'),
  };
}

interface OwnClientsDeps {
  digest: SecretDigester;
  usedForms: UsedForms;
  records: OidcRecords;
  appUses: AppUses;
}

const toClient = (row: Row): OwnClient => ({
  ...row,
  confidential: row.confidential === 1,
  redirectUris: JSON.parse(row.redirectUris),
});

/**
 * OAuth clients that people registered themselves. A person sees and changes only their own clients. A method that
 * creates a client or secret answers `used` when the form already did so, and `full` at the maximum.
 */
export function createOwnClients(db: Database, { digest, usedForms, records, appUses }: OwnClientsDeps) {
  const run = prepareStatements(db);
  const secrets = createClientSecrets(db, digest);
  const own = (accountId: string, clientId: string): OwnClient | undefined => {
    const row = run.one.get(accountId, clientId);
    return row && toClient(row);
  };
  const isConfidential = (accountId: string, clientId: string) =>
    own(accountId, clientId)?.confidential === true;
  return {
    own,
    ofAccount: (accountId: string): OwnClient[] => run.list.all(accountId).map(toClient),
    /** A public client gets no secret. */
    create: db.transaction(
      ({ accountId, form }: ClientFormRequest, fields: ClientFields, confidential: boolean) =>
        usedForms.once(form, () => {
          if (run.list.all(accountId).length >= MAX_CLIENTS) return 'full';
          const clientId = newHexId();
          const uris = JSON.stringify(fields.redirectUris);
          const now = new Date().toISOString();
          run.insert.run(clientId, accountId, fields.name, Number(confidential), uris, now);
          return { clientId, secret: confidential ? secrets.add(clientId) : undefined };
        }),
    ),
    update(accountId: string, clientId: string, { name, redirectUris }: ClientFields): boolean {
      return run.update.run(name, JSON.stringify(redirectUris), accountId, clientId).changes === 1;
    },
    /** Deletes a client and ends all grants that any account gave to the client. */
    remove: db.transaction((accountId: string, clientId: string): boolean => {
      if (run.remove.run(accountId, clientId).changes === 0) return false;
      records.revokeApp(clientId);
      appUses.forget(clientId);
      return true;
    }),
    secretsOf: (accountId: string, clientId: string): SecretRecord[] =>
      own(accountId, clientId) ? secrets.ofClient(clientId) : [],
    /** `missing`: there is no client with this id, or the client is public. */
    addSecret: db.transaction(({ accountId, form }: ClientFormRequest, clientId: string) =>
      usedForms.once(form, () => {
        if (!isConfidential(accountId, clientId)) return 'missing';
        return secrets.ofClient(clientId).length < MAX_SECRETS ? { secret: secrets.add(clientId) } : 'full';
      }),
    ),
    removeSecret: (accountId: string, clientId: string, id: string): boolean =>
      isConfidential(accountId, clientId) && secrets.remove(clientId, id),
  };
}
