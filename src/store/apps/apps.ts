import type { Insertable } from 'kysely';
import type { Database, Store } from '../driver/store.ts';
import type { App, NewApp, Tables } from '../tables/tables.ts';

type NewSecret = Insertable<Tables['app_secrets']>;

/** An app with its registered callbacks; undefined when unknown or retired. */
export async function findApp(
  db: Database,
  clientId: string,
): Promise<(App & { callbacks: string[] }) | undefined> {
  const app = await db
    .selectFrom('apps')
    .selectAll()
    .where('client_id', '=', clientId)
    .where('retired_at', 'is', null)
    .executeTakeFirst();
  if (!app) return undefined;
  const rows = await db.selectFrom('app_callbacks').select('uri').where('client_id', '=', clientId).execute();
  return { ...app, callbacks: rows.map((row) => row.uri) };
}

/** The account that owns an app; null while only the owner's address is known. */
export async function ownerOf(db: Database, clientId: string): Promise<string | null | undefined> {
  const row = await db
    .selectFrom('apps')
    .select('owner_account_id')
    .where('client_id', '=', clientId)
    .executeTakeFirst();
  return row?.owner_account_id;
}

const SECRETS_OF = `select app_secrets.id, secret_digest as digest, apps.retired_at as app_retired_at
  from app_secrets join apps using (client_id) where client_id = $1 and app_secrets.retired_at is null`;

/**
 * The app's live secrets, as they were last committed; two may be live at once during a rotation. Those of a retired app come
 * too: they are worth nothing, and a refusal can say why.
 */
export async function findSecrets(
  store: Store,
  clientId: string,
): Promise<Array<{ id: string; digest: string; app_retired_at: number | null }>> {
  return store.rows(SECRETS_OF, [clientId]);
}

/** The app's live secrets without their values, oldest first. */
export async function listSecrets(
  db: Database,
  clientId: string,
): Promise<Array<{ id: string; created_at: number }>> {
  return db
    .selectFrom('app_secrets')
    .select(['id', 'created_at'])
    .where('client_id', '=', clientId)
    .where('retired_at', 'is', null)
    .orderBy('created_at')
    .orderBy('id')
    .execute();
}

/** Adds a secret to an app; false when a secret with this id exists. */
export async function insertSecret(tx: Database, secret: NewSecret): Promise<boolean> {
  const inserted = await tx
    .insertInto('app_secrets')
    .values(secret)
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst();
  return inserted.numInsertedOrUpdatedRows === 1n;
}

/** Ends a live secret of an app; false when the app has no live secret with this id. */
export async function endSecret(
  tx: Database,
  { id, clientId, now }: { id: string; clientId: string; now: number },
): Promise<boolean> {
  const ended = await tx
    .updateTable('app_secrets')
    .set({ retired_at: now })
    .where('id', '=', id)
    .where('client_id', '=', clientId)
    .where('retired_at', 'is', null)
    .executeTakeFirst();
  return ended.numUpdatedRows === 1n;
}

/** Replaces the digest of a secret, if the digest is still `from`. */
export async function moveSecretDigest(
  db: Database,
  { id, from, to }: { id: string; from: string; to: string },
): Promise<void> {
  await db
    .updateTable('app_secrets')
    .set({ secret_digest: to })
    .where('id', '=', id)
    .where('secret_digest', '=', from)
    .execute();
}

/** Adds an app with its callbacks and first secret; false when the client id exists already. */
export async function insertApp(
  tx: Database,
  app: NewApp,
  details: { callbacks: readonly string[]; secretId: string; secretDigest: string },
): Promise<boolean> {
  const inserted = await tx
    .insertInto('apps')
    .values(app)
    .onConflict((c) => c.doNothing())
    .executeTakeFirst();
  if (inserted.numInsertedOrUpdatedRows !== 1n) return false;
  const { client_id, created_at } = app;
  await tx
    .insertInto('app_callbacks')
    .values(details.callbacks.map((uri) => ({ client_id, uri })))
    .execute();
  await tx
    .insertInto('app_secrets')
    .values({ id: details.secretId, client_id, secret_digest: details.secretDigest, created_at })
    .execute();
  return true;
}

/** Adds addresses to write to about an app, beside the owner's address. */
export async function insertContacts(
  tx: Database,
  clientId: string,
  addresses: readonly string[],
): Promise<void> {
  if (addresses.length === 0) return;
  const rows = addresses.map((address) => ({ client_id: clientId, address }));
  await tx
    .insertInto('app_contacts')
    .values(rows)
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

/** How many live apps an account owns. */
export async function countAppsOf(db: Database, accountId: string): Promise<number> {
  const row = await db
    .selectFrom('apps')
    .select((eb) => eb.fn.countAll<number>().as('n'))
    .where('owner_account_id', '=', accountId)
    .where('retired_at', 'is', null)
    .executeTakeFirstOrThrow();
  return row.n;
}

/** Adds a callback to an app; false when the app has the callback. */
export async function addCallback(tx: Database, clientId: string, uri: string): Promise<boolean> {
  const inserted = await tx
    .insertInto('app_callbacks')
    .values({ client_id: clientId, uri })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst();
  return inserted.numInsertedOrUpdatedRows === 1n;
}

/** Every app, oldest first, with the number of its tokens. */
export async function listApps(db: Database) {
  return db
    .selectFrom('apps')
    .select((eb) => [
      'client_id',
      'name',
      'source',
      'owner_account_id',
      'owner_email',
      'created_at',
      'cut_over_percent',
      'retired_at',
      eb
        .selectFrom('mappings')
        .whereRef('mappings.client_id', '=', 'apps.client_id')
        .select((e) => e.fn.countAll<number>().as('n'))
        .as('tokens'),
    ])
    .orderBy('created_at')
    .execute();
}

/** The registered callbacks of every app. */
export async function listCallbacks(db: Database) {
  return db.selectFrom('app_callbacks').selectAll().execute();
}

/** Asks for any one app. Rejects where the database does not answer, and where it holds no such table. */
export async function askForAnyApp(db: Database): Promise<void> {
  await db.selectFrom('apps').select('client_id').limit(1).execute();
}

/** Retires an app or lets it live again, if it stands as `from` says. */
export async function changeRetired(
  tx: Database,
  clientId: string,
  { from, to }: { from: number | null; to: number | null },
): Promise<boolean> {
  const changed = await tx
    .updateTable('apps')
    .set({ retired_at: to })
    .where('client_id', '=', clientId)
    .where('retired_at', 'is not distinct from', from)
    .executeTakeFirst();
  return changed.numUpdatedRows === 1n;
}
