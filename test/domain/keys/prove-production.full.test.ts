import { findProductionProblem } from '../../../src/domain/instance/prove-production.ts';
import { insertApp } from '../../../src/store/apps/apps.ts';
import { openStore } from '../../../src/store/driver/open-store.ts';
import type { Store } from '../../../src/store/driver/store.ts';
import type { App, NewApp } from '../../../src/store/tables/tables.ts';
import { startPostgres, type TestPostgres } from '../../support/database/postgres.ts';
import { choosePlace, databaseKinds } from '../../store/support/stores.ts';

/** What a database may not be in production: with the demo's public secrets, or losing commits. */

const CLIENT_ID = '4e9680c0512f7ed3220000de';

async function addApp(store: Store, clientId: string, source: App['source']): Promise<void> {
  const app: NewApp = {
    client_id: clientId,
    name: 'An app',
    owner_account_id: null,
    owner_email: null,
    source,
    created_at: 1,
    retired_at: null,
  };
  const details = { callbacks: ['https://app.example/'], secretId: clientId, secretDigest: 'k1.x' };
  expect(await insertApp(store.durable, app, details)).toBe(true);
}

let syncing: TestPostgres;

beforeAll(async () => {
  syncing = await startPostgres({ fsync: true });
});

afterAll(() => syncing.stop());

test.each(databaseKinds)('a database on %s may serve until the demo was started on it', async (kind) => {
  const place = await choosePlace('sqlite');
  const store = await openStore(kind === 'postgres' ? { kind, url: syncing.url } : place.location);
  expect(await findProductionProblem({ store })).toBeUndefined();
  await addApp(store, 'a'.repeat(24), 'registered');
  expect(await findProductionProblem({ store })).toBeUndefined();
  await addApp(store, CLIENT_ID, 'demo');
  expect(await findProductionProblem({ store })).toMatch(
    new RegExp(
      `^DATABASE_URL: the database holds the demo app ${CLIENT_ID}, whose secret and token are public`,
    ),
  );
  await store.close();
  await place.remove();
});

test('a PostgreSQL that syncs nothing may not serve', async () => {
  const careless = await startPostgres({ fsync: false });
  const store = await openStore({ kind: 'postgres', url: careless.url });
  expect(await findProductionProblem({ store })).toMatch(/^DATABASE_URL: fsync is off/);
  await store.close();
  await careless.stop();
});
