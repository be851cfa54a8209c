import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Insertable, Selectable } from 'kysely';
import { listRemovedContacts } from '../../../store/apps/app-contacts.ts';
import {
  addRows,
  columnsIn,
  type ImportColumn,
  type ImportedTable,
  rowsWith,
} from '../../../store/import/import-rows.ts';
import { openStore } from '../../../store/driver/open-store.ts';
import type { Database, Store } from '../../../store/driver/store.ts';
import type { Mapping, Tables } from '../../../store/tables/tables.ts';
import { giveToOwner, removeAbandoned } from '../../../shared/private-file.ts';
import { settledRows } from '../../../store/tokens/settled-pairs.ts';
import { rowsUnderLegacyIds } from '../../../store/tokens/under-legacy-ids.ts';
import type { ImportDeps } from '../deps.ts';
import type { AppImportRow, PairImportRow, TokenImportRow } from './rows.ts';

/**
 * The database of a dry run. A dry run imports into an empty database of its own, which is removed at the end. Before
 * each batch, the known data about its rows is copied into this database. So a dry run says what an import would do,
 * blocks no other work, and needs no more memory.
 */
export interface Scratch {
  store: Store;
  copyForApps(rows: readonly AppImportRow[]): Promise<void>;
  copyForPairs(rows: readonly PairImportRow[]): Promise<void>;
  copyForTokens(rows: readonly TokenImportRow[]): Promise<void>;
  close(): Promise<void>;
}

const given = (ids: ReadonlyArray<string | null>) => ids.filter((id) => id !== null);

class Copier {
  readonly #context: ImportDeps;
  readonly #to: Database;
  readonly #columns = new Map<ImportedTable, Promise<ReadonlySet<string>>>();
  constructor(context: ImportDeps, to: Database) {
    this.#context = context;
    this.#to = to;
  }

  get #from(): Database {
    return this.#context.store.durable;
  }

  /**
   * Keeps the columns that the scratch has. A newer version may have added columns to the database, with which this
   * version works all the same.
   */
  async #add<T extends ImportedTable>(place: ImportColumn<T>, rows: ReadonlyArray<Selectable<Tables[T]>>) {
    const { table } = place;
    const columns = this.#columns.get(table) ?? columnsIn(this.#to, table);
    this.#columns.set(table, columns);
    const known = await columns;
    const kept = rows.map((row) =>
      Object.fromEntries(Object.entries(row).filter(([name]) => known.has(name))),
    );
    await addRows(this.#to, place, kept as unknown as Array<Insertable<Tables[T]>>);
  }

  async #copy<T extends ImportedTable>(
    table: T,
    column: keyof Tables[T] & string,
    values: readonly string[],
  ) {
    await this.#add({ table, column }, await rowsWith(this.#from, { table, column }, values));
  }

  /**
   * Copies accounts with all that tells their addresses, and the grants to which an import attaches their tokens: a
   * later row adds less to a token that has its grant. Their sealed tokens are not copied.
   */
  async #copyAccounts(accountIds: readonly string[]): Promise<void> {
    // Read first: an account that comes meanwhile is copied before its grant.
    const { grants, handovers } = await settledRows(this.#from, [...new Set(accountIds)]);
    await this.#copy('accounts', 'account_id', accountIds);
    await this.#copy('id_pairs', 'modern_id', accountIds);
    const clientIds = grants.map((row) => row.client_id);
    await this.#copy('apps', 'client_id', clientIds);
    const bare = grants.map((row) => ({ ...row, access_token_sealed: null, refresh_token_sealed: null }));
    await this.#add({ table: 'grants', column: 'id' }, bare);
    await this.#add({ table: 'handovers', column: 'grant_id' }, handovers);
  }

  /** What a copied token has itself of a grant or a claim decides nothing. */
  async #copyMappings(mappings: readonly Mapping[]): Promise<void> {
    const clientIds = mappings.map((row) => row.client_id);
    await this.#copy('apps', 'client_id', clientIds);
    await this.#copyAccounts(given(mappings.map((row) => row.account_id)));
    const rows = mappings.map((row) => ({ ...row, grant_id: null, claimed_client_id: null }));
    await this.#add({ table: 'mappings', column: 'id' }, rows);
  }

  /** Copies the id pairs and accounts for account ids of the old or the new API. */
  async #copyOwners(ids: readonly string[]): Promise<void> {
    const pairs = await rowsWith(this.#from, { table: 'id_pairs', column: 'legacy_id' }, ids);
    const modernIds = [...ids, ...given(pairs.map((pair) => pair.modern_id))];
    await this.#copy('id_pairs', 'legacy_id', ids);
    await this.#copyAccounts(modernIds);
  }

  /** The scratch lacks the history. A removed contact counts as known, so it is a contact there. */
  async #copyRemovedContacts(clientIds: readonly string[]): Promise<void> {
    const removed = await listRemovedContacts(this.#from, clientIds);
    await addRows(this.#to, { table: 'app_contacts', column: 'client_id' }, removed);
  }

  async forApps(rows: readonly AppImportRow[]): Promise<void> {
    const ids = rows.map(({ clientId }) => clientId);
    const known = { table: 'apps', column: 'client_id' } as const;
    const apps = await rowsWith(this.#from, known, ids);
    // A row that names its owner by an address alone is compared with the addresses of the app's owner.
    await this.#copyAccounts(given(apps.map((app) => app.owner_account_id)));
    await this.#add(known, apps);
    await this.#copy('app_secrets', 'client_id', ids);
    await this.#copy('app_callbacks', 'client_id', ids);
    await this.#copy('app_contacts', 'client_id', ids);
    await this.#copyRemovedContacts(ids);
    await this.#copyOwners(given(rows.map((row) => row.ownerAccountId)));
  }

  async forPairs(rows: readonly PairImportRow[]): Promise<void> {
    const legacyIds = rows.map(({ legacyId }) => legacyId);
    await this.#copyOwners([...legacyIds, ...given(rows.map(({ modernId }) => modernId))]);
    const { apps, tokens } = await rowsUnderLegacyIds(this.#from, legacyIds);
    await this.#copy(
      'apps',
      'client_id',
      apps.map(({ clientId }) => clientId),
    );
    const ids = tokens.map(({ id }) => id);
    await this.#copyMappings(await rowsWith(this.#from, { table: 'mappings', column: 'id' }, ids));
  }

  async forTokens(rows: readonly TokenImportRow[]): Promise<void> {
    const { vault } = this.#context;
    const clientIds = rows.map(({ clientId }) => clientId);
    await this.#copy('apps', 'client_id', clientIds);
    await this.#copyOwners(given(rows.map(({ accountId }) => accountId)));
    const digests = rows.flatMap(({ token }) => vault.digestsOf(token));
    const place = { table: 'mappings', column: 'token_digest' } as const;
    await this.#copyMappings(await rowsWith(this.#from, place, digests));
  }
}

/**
 * Removes the databases of killed dry runs from this folder. A database that this user may not remove stops no start and
 * no import.
 */
export function removeOldScratches({ logger }: Pick<ImportDeps, 'logger'>, folder: string): void {
  try {
    removeAbandoned(join(folder, 'dry-run'));
  } catch (error) {
    logger.warn('what a killed dry run left could not be removed', { error });
  }
}

/** Opens a database for the one dry run of this process, in a folder that only its owner may read. */
export async function openScratch(context: ImportDeps, folder: string): Promise<Scratch> {
  const place = join(folder, `dry-run.${process.pid}.draft`);
  mkdirSync(place, { mode: 0o700 });
  // What a killed dry run leaves, the bridge must be able to remove.
  giveToOwner(place);
  const store = await openStore({ kind: 'sqlite', file: join(place, 'scratch.db') });
  const copier = new Copier(context, store.durable);
  return {
    store,
    copyForApps: (rows) => copier.forApps(rows),
    copyForPairs: (rows) => copier.forPairs(rows),
    copyForTokens: (rows) => copier.forTokens(rows),
    async close() {
      await store.close();
      rmSync(place, { recursive: true, force: true });
    },
  };
}
