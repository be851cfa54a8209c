import { pairPlace } from '../../../src/domain/keys/sealing-context.ts';
import { newHexId, newLegacyToken } from '../../../src/shared/ids.ts';
import { upsertAccount } from '../../../src/store/accounts/accounts.ts';
import { insertApp } from '../../../src/store/apps/apps.ts';
import { insertGrant } from '../../../src/store/grants/grants.ts';
import { insertMapping } from '../../../src/store/tokens/mappings.ts';
import type { App, MappingState } from '../../../src/store/tables/tables.ts';
import { grantRow } from '../../store/support/rows.ts';
import type { History } from '../support/histories.ts';

/** Tokens in each state, and what the database says of them afterwards. */

export const ORIGIN = { actor: 'test', requestId: null };

export interface Case {
  clientId: string;
  accountId: string;
  grantId: string;
  mappingId: string;
  token: string;
}

export async function addApp({ db }: History, source: App['source'] = 'imported'): Promise<string> {
  const clientId = newHexId();
  const app = { client_id: clientId, name: 'A', source, created_at: 0 };
  const details = { callbacks: ['https://a.example/'], secretId: newHexId(), secretDigest: 'd' };
  await insertApp(db, app, details);
  return clientId;
}

type CasePair = Pick<Case, 'clientId' | 'accountId'>;

/** With a pair that opens. */
export async function addGrant({ db, context }: History, { clientId, accountId }: CasePair): Promise<string> {
  const id = newHexId();
  const row = grantRow(id, {
    client_id: clientId,
    account_id: accountId,
    access_token_sealed: context.vault.seal(pairPlace(id, 1, 'access_token'), 'access'),
    refresh_token_sealed: context.vault.seal(pairPlace(id, 1, 'refresh_token'), 'refresh'),
  });
  await insertGrant(db, row);
  return id;
}

export async function addToken(
  { db, context }: History,
  state: MappingState,
  { clientId, accountId, grantId }: CasePair & { grantId: string },
) {
  const [id, token] = [newHexId(), newLegacyToken()];
  await insertMapping(db, {
    id,
    token_digest: context.vault.digest(token),
    client_id: clientId,
    account_id: accountId,
    grant_id: state === 'unmapped' ? null : grantId,
    state,
    source: 'imported',
    created_at: 0,
    updated_at: 0,
  });
  return { mappingId: id, token };
}

/** A token in that state, with a live grant of its app and account; a neighbour is of another account. */
export async function keepToken(
  history: History,
  state: MappingState,
  given: { clientId?: string } = {},
): Promise<Case> {
  const clientId = given.clientId ?? (await addApp(history));
  const accountId = newHexId();
  await upsertAccount(history.db, { account_id: accountId, updated_at: 0 });
  const grantId = await addGrant(history, { clientId, accountId });
  const ids = { clientId, accountId, grantId };
  return { ...ids, ...(await addToken(history, state, ids)) };
}

export const mappingIn = ({ db }: History, mappingId: string) =>
  db.selectFrom('mappings').selectAll().where('id', '=', mappingId).executeTakeFirstOrThrow();

export const stateOf = async ({ db }: History, mappingId: string) =>
  db
    .selectFrom('mappings')
    .select(['state', 'updated_at'])
    .where('id', '=', mappingId)
    .executeTakeFirstOrThrow();

export async function saidOf(
  { db }: History,
  column: 'mapping_id' | 'grant_id',
  id: string,
): Promise<string[]> {
  const rows = await db.selectFrom('events').selectAll().where(column, '=', id).execute();
  return rows.map(({ action }) => action);
}

export const grantOf = async ({ db }: History, { grantId }: Pick<Case, 'grantId'>) =>
  db.selectFrom('grants').select(['state', 'dead_cause']).where('id', '=', grantId).executeTakeFirstOrThrow();
