import type { Database, Store } from '../driver/store.ts';
import type { NewMapping } from '../tables/tables.ts';

/** Observed tokens, and the unidentified programs that use them: apps of the source `observed`. */

/** Whether a token is known under one of its digests, even of a retired app; needs a transaction. */
export async function isTokenKnown(tx: Database, tokenDigests: readonly string[]): Promise<boolean> {
  const row = await tx
    .selectFrom('mappings')
    .select('id')
    .where('token_digest', 'in', tokenDigests)
    .executeTakeFirst();
  return row !== undefined;
}

/** Like `isTokenKnown`, outside a transaction, for calls: waits for no write. */
export async function hasToken(store: Store, tokenDigests: readonly string[]): Promise<boolean> {
  const places = tokenDigests.map((_, index) => `$${index + 1}`).join(', ');
  const row = await store.first(`select id from mappings where token_digest in (${places})`, tokenDigests);
  return row !== undefined;
}

/** Keeps the mapping of an observed token; false when another process was faster. */
export async function insertObserved(tx: Database, mapping: NewMapping): Promise<boolean> {
  const inserted = await tx
    .insertInto('mappings')
    .values(mapping)
    .onConflict((conflict) => conflict.column('token_digest').doNothing())
    .executeTakeFirst();
  return inserted.numInsertedOrUpdatedRows === 1n;
}

/** Whether an app is an unidentified program: neither registered nor imported. */
export async function isUnidentified(db: Database, clientId: string): Promise<boolean> {
  const row = await db
    .selectFrom('apps')
    .select('client_id')
    .where('client_id', '=', clientId)
    .where('source', '=', 'observed')
    .executeTakeFirst();
  return row !== undefined;
}

/** Whether a client id belongs to a live app that was registered or imported. */
export async function isIdentifiedApp(db: Database, clientId: string): Promise<boolean> {
  const row = await db
    .selectFrom('apps')
    .select('client_id')
    .where('client_id', '=', clientId)
    .where('source', '<>', 'observed')
    .where('retired_at', 'is', null)
    .executeTakeFirst();
  return row !== undefined;
}

/** The unidentified program with a name; the oldest when there are several. */
export async function findUnidentified(db: Database, name: string): Promise<string | undefined> {
  const row = await db
    .selectFrom('apps')
    .select('client_id')
    .where('source', '=', 'observed')
    .where('name', '=', name)
    .where('retired_at', 'is', null)
    .orderBy('created_at')
    .orderBy('client_id')
    .executeTakeFirst();
  return row?.client_id;
}

/** Adds an unidentified program. A program has neither callbacks nor a secret. */
export async function insertUnidentified(
  tx: Database,
  app: { clientId: string; name: string; now: number },
): Promise<void> {
  const row = { client_id: app.clientId, name: app.name, source: 'observed', created_at: app.now } as const;
  await tx.insertInto('apps').values(row).execute();
}

/** The known pair of an old account id: the account, or an e-mail address that waits for an account. */
export async function findAccountPair(
  db: Database,
  legacyId: string,
): Promise<{ modern_id: string | null; email: string | null } | undefined> {
  return db
    .selectFrom('id_pairs')
    .select(['modern_id', 'email'])
    .where('kind', '=', 'account')
    .where('legacy_id', '=', legacyId)
    .executeTakeFirst();
}
