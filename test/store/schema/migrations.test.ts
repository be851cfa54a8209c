import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { Sqlite } from '../../../src/shared/sqlite.ts';
import { countLiveUpTo } from '../../../src/store/grants/deaths.ts';
import { takesPairs } from '../../../src/store/apps/modern-clients.ts';
import { migrationFiles } from '../../../src/store/driver/schema/migrations.ts';
import { type DatabaseLocation, openStore } from '../../../src/store/driver/open-store.ts';
import { projectRoot } from '../../../src/shared/project-root.ts';
import { choosePlace, databaseKinds, type Place } from '../support/stores.ts';

/** A database has a whole schema, whoever starts on it and whatever goes wrong meanwhile. */

/** Statements as another program would run them; the rows of the last one. */
async function runOn(location: DatabaseLocation, sql: string): Promise<unknown[]> {
  if (location.kind === 'sqlite') {
    const handle = new Sqlite(location.file);
    try {
      if (!/^(select|pragma \w+$)/.test(sql)) return [handle.exec(sql)];
      return handle.prepare(sql).all();
    } finally {
      handle.close();
    }
  }
  const client = new pg.Client({ connectionString: location.url });
  await client.connect();
  try {
    return (await client.query<object>(sql)).rows;
  } finally {
    await client.end();
  }
}

const TABLES = {
  sqlite: "select name from sqlite_master where type = 'table'",
  postgres: "select table_name as name from information_schema.tables where table_schema = 'public'",
};

const NEWER = {
  sqlite: 'pragma user_version = 999',
  postgres: 'create table schema_version (number integer not null); insert into schema_version values (999)',
};

const NUMBERS = {
  sqlite: 'pragma user_version',
  postgres: 'select count(*)::int as user_version from schema_version',
};

const VERSION_10 = {
  sqlite: 'pragma user_version = 10',
  postgres: 'create table schema_version (number integer not null); insert into schema_version values (10)',
};

describe.each(databaseKinds)('on %s', (kind) => {
  let place: Place;

  beforeEach(async () => {
    place = await choosePlace(kind);
  });

  afterEach(() => place.remove());

  test('several starters at once find one whole schema, each migration made once', async () => {
    const stores = await Promise.all(Array.from({ length: 5 }, () => openStore(place.location)));
    expect(await Promise.all(stores.map(({ durable }) => countLiveUpTo(durable, 1)))).toEqual([
      0, 0, 0, 0, 0,
    ]);
    await Promise.all(stores.map((store) => store.close()));
    const files = migrationFiles(kind);
    const reached = kind === 'sqlite' ? files.at(-1)?.number : files.length;
    expect(await runOn(place.location, NUMBERS[kind])).toEqual([{ user_version: reached }]);
  });

  test('a client that its app used no more before the upgrade takes no pairs after it, the one in use does', async () => {
    const older = migrationFiles(kind).filter(({ number }) => number < 11);
    for (const { path } of older) await runOn(place.location, readFileSync(path, 'utf8'));
    const clients =
      "(id, client_id, scopes, proven_at) values ('used', 'a1', 'x', 1), ('removed', 'a1', 'x', 1)";
    await runOn(
      place.location,
      `insert into apps (client_id, name, source, created_at) values ('a1', 'A', 'registered', 0);
       insert into modern_clients ${clients}; update apps set modern_client_id = 'used';
       ${VERSION_10[kind]}`,
    );
    const store = await openStore(place.location);
    const taking = ['used', 'removed'].map((id) => takesPairs(store.durable, id));
    expect(await Promise.all(taking)).toEqual([true, false]);
    await store.close();
  });

  test('a second start on a schema that is new enough changes nothing', async () => {
    await (await openStore(place.location)).close();
    await runOn(place.location, "insert into accounts (account_id, updated_at) values ('a', 1)");
    await (await openStore(place.location)).close();
    expect(await runOn(place.location, 'select account_id from accounts')).toEqual([{ account_id: 'a' }]);
  });

  test('a database with a newer schema is refused, and stays as it is', async () => {
    await runOn(place.location, NEWER[kind]);
    const before = await runOn(place.location, TABLES[kind]);
    await expect(openStore(place.location)).rejects.toThrow('the database has schema 999');
    expect(await runOn(place.location, TABLES[kind])).toEqual(before);
  });

  test('a migration that fails in the middle leaves the older schema whole', async () => {
    await runOn(place.location, 'create table events (of_another_program text)');
    await expect(openStore(place.location)).rejects.toThrow(/events.* already exists/);
    expect(await runOn(place.location, TABLES[kind])).toEqual([{ name: 'events' }]);
  });
});

test('a SQLite file whose folder is missing is made with its folder', async () => {
  const place = await choosePlace('sqlite');
  if (place.location.kind !== 'sqlite') throw new Error('not a file');
  const file = place.location.file.replace(/bridge\.db$/, 'below/it/bridge.db');
  await (await openStore({ kind: 'sqlite', file })).close();
  expect(existsSync(file)).toBe(true);
  await place.remove();
});

/** The beginning of each file's SHA-256. One that databases were made with is never changed: what it lacks comes in the next. */
const RELEASED: Array<[file: string, digest: string]> = [
  ['modern/001-authorization-server.sql', '4dd1cc36fba551db'],
  ['modern/002-accounts.sql', '28a259b4b466c8cd'],
  ['modern/003-settings.sql', '0ca1bf48a6a54acf'],
  ['modern/004-posts.sql', '019c042c1c62cbc1'],
  ['modern/005-ideas-snippets.sql', 'c6cd3c5a5e743089'],
  ['modern/006-recorded-schema.sql', 'f0d2e10366824551'],
  ['modern/007-waiting-requests.sql', 'dbb444e85d7231c4'],
  ['postgres/001-init.sql', '88df188cf12533bc'],
  ['postgres/002-counts.sql', '8e633a130cbbb3d6'],
  ['postgres/003-keys-history-copies.sql', 'c6e1682cd3b7a21d'],
  ['postgres/004-restored-grants.sql', '61b111666cf92a52'],
  ['postgres/005-existing-tokens.sql', '100fe09568514f37'],
  ['postgres/006-lifecycle.sql', '5cce1f652f92c824'],
  ['postgres/007-pages.sql', 'f4eafdfeaee1b4ae'],
  ['postgres/008-claimed-apps.sql', '087d6d2063b1e72c'],
  ['postgres/009-anonymous-requests.sql', 'df66b903089165f9'],
  ['postgres/010-refresh-breaker.sql', 'ac22b18fc0e19913'],
  ['postgres/011-removed-clients.sql', '39ddf5c31dd45ffd'],
  ['postgres/012-post-writes.sql', '2e411f3fc1fab746'],
  ['postgres/013-post-answers.sql', '422d6d3e02f2e7cc'],
  ['postgres/014-refused-there.sql', 'd0ff2e7552739074'],
  ['postgres/015-cut-over.sql', '4058d3e8c1ab731d'],
  ['postgres/016-update-ids.sql', 'd9bb6cd4e5255e32'],
  ['postgres/017-shadow-requests.sql', 'ee17bcc01cf2eab9'],
  ['postgres/018-counts-by-app.sql', 'e8ce533acfe8f065'],
  ['postgres/019-ends-by-cause.sql', '201e33168bd5051a'],
  ['postgres/020-lost-calls.sql', 'aebb6f7a71de6fd3'],
  ['postgres/021-counted-since.sql', '646c58b4444c5fff'],
  ['postgres/022-doubts-by-expiry.sql', 'b83bdf102f08215a'],
  ['postgres/023-told-profiles.sql', 'dbfdc5fd62356541'],
  ['postgres/024-told-profiles-apart.sql', '66baf0543c98e9ac'],
  ['postgres/025-by-request.sql', '284826b3c0b1df88'],
  ['postgres/026-imports.sql', '0c4a063006056f34'],
  ['postgres/027-leaked-tokens.sql', '5ceff529dfb34970'],
  ['postgres/028-works-from.sql', '779cad41a9bed08a'],
  ['postgres/029-api-keys.sql', '499c9a7af1ebb92d'],
  ['postgres/030-tables-at-size.sql', '80743ee7a98e6b89'],
  ['postgres/032-company-staff.sql', '548b2e667ba7a093'],
  ['postgres/033-webhooks.sql', 'addf42ba92524eb4'],
  ['postgres/034-jobs-and-keys.sql', '164463e21dc9fa43'],
  ['postgres/035-shared-apps.sql', '96038c2eb2000a13'],
  ['postgres/036-deeds.sql', 'c03ca75376d9aa05'],
  ['postgres/037-lists-at-size.sql', '002f8354f69bac2b'],
  ['postgres/038-waiting-names-at-once.sql', 'c1d2c74f108c6f6d'],
  ['postgres/039-told-lists.sql', '9fec3fd52a388f43'],
  ['postgres/040-told-users.sql', 'fe87f41b4b9b4934'],
  ['postgres/041-consents-in-order.sql', 'e3840b6be21e70b3'],
  ['postgres/042-waiting-messages.sql', 'bd6e57565e9e1aa4'],
  ['postgres/043-turns-of-grants.sql', 'f86b4ae24c5175d9'],
  ['postgres/044-shares-by-address.sql', 'ca3cc5a567a50743'],
  ['postgres/045-turns-by-index.sql', '220f0bb4472272ab'],
  ['postgres/046-days-told-again.sql', '7244c8e1381d0a62'],
  ['postgres/047-tokens-of-accounts.sql', 'd989ad0fcd13ad32'],
  ['sqlite-volatile/001-init.sql', '8a23f1a300c3122d'],
  ['sqlite-volatile/002-leases.sql', '5bb29c18f7d46fd9'],
  ['sqlite-volatile/003-counts.sql', '6cd424f95aefdecf'],
  ['sqlite-volatile/004-sessions-usage-shadow.sql', '0857c0282f05aa77'],
  ['sqlite-volatile/005-usage-by-day.sql', '6c4aadcf05edec75'],
  ['sqlite-volatile/006-pages.sql', 'd90177cc22cfa109'],
  ['sqlite-volatile/007-claimed-requests.sql', '6a07839fc9465a9a'],
  ['sqlite-volatile/008-post-answers.sql', '6e719bd0800f3973'],
  ['sqlite-volatile/009-moving-calls.sql', '8b77a9b08fabf343'],
  ['sqlite-volatile/010-shadow-requests.sql', '41e181a76a45e2d6'],
  ['sqlite-volatile/011-app-calls.sql', 'd538cb8528863e9b'],
  ['sqlite-volatile/012-lost-calls.sql', '57c9ab738cefe8c9'],
  ['sqlite-volatile/013-counted-since.sql', '4ffb0f32eb139312'],
  ['sqlite-volatile/014-told-profiles.sql', 'dbfdc5fd62356541'],
  ['sqlite-volatile/015-told-profiles-apart.sql', '29f6f2b3956a3a97'],
  ['sqlite-volatile/016-works-from.sql', 'fcacd26ae5f865ce'],
  ['sqlite-volatile/017-told-lists.sql', '66320f56a844e096'],
  ['sqlite-volatile/018-told-users.sql', '5a6de2edfefe97db'],
  ['sqlite/001-init.sql', '89be993fd47165c7'],
  ['sqlite/002-claims.sql', 'b995be7489ca0b9f'],
  ['sqlite/003-keys-history-copies.sql', 'f23880a516db2c29'],
  ['sqlite/004-restored-grants.sql', '61b111666cf92a52'],
  ['sqlite/005-existing-tokens.sql', 'f5eb7a2dc0bb2206'],
  ['sqlite/006-lifecycle.sql', '46942b0c9d8883f6'],
  ['sqlite/007-pages.sql', '2534fd2571fab981'],
  ['sqlite/008-claimed-apps.sql', 'b8d05fb83f30ad2b'],
  ['sqlite/009-anonymous-requests.sql', '39584edba2ce7ca3'],
  ['sqlite/010-refresh-breaker.sql', '6f2d55782bb1a51d'],
  ['sqlite/011-removed-clients.sql', '1dc7852df38def4f'],
  ['sqlite/012-post-writes.sql', 'c5a7aea5d350eea5'],
  ['sqlite/014-refused-there.sql', '97dd13c80a0d238b'],
  ['sqlite/015-cut-over.sql', '085131d454025eb8'],
  ['sqlite/016-update-ids.sql', '2d2fd9750525ecce'],
  ['sqlite/018-tokens-by-state.sql', 'e5c9db0961abf05c'],
  ['sqlite/019-ends-by-cause.sql', '201e33168bd5051a'],
  ['sqlite/020-doubts-by-expiry.sql', 'b83bdf102f08215a'],
  ['sqlite/021-by-request.sql', '284826b3c0b1df88'],
  ['sqlite/022-imports.sql', '0c4a063006056f34'],
  ['sqlite/023-leaked-tokens.sql', '3ee1a506a2602673'],
  ['sqlite/024-works-from.sql', '0cdc26e1181f5077'],
  ['sqlite/025-api-keys.sql', 'ae4c750d2bde69ae'],
  ['sqlite/026-tables-at-size.sql', '4845b57fa27b2192'],
  ['sqlite/028-company-staff.sql', '929c1c76a6d58abe'],
  ['sqlite/029-webhooks.sql', '960a749f65ba2d9a'],
  ['sqlite/030-jobs-and-keys.sql', 'b78f3abf089f9bfd'],
  ['sqlite/031-shared-apps.sql', '2f1165dd2c5bef27'],
  ['sqlite/032-deeds.sql', '546298eb6d1f01be'],
  ['sqlite/033-lists-at-size.sql', '9a06ee9b3231eca5'],
  ['sqlite/034-consents-in-order.sql', '2f5f5da7c2f2339d'],
  ['sqlite/035-waiting-messages.sql', 'bd78af85fca6c091'],
  ['sqlite/036-turns-of-grants.sql', '2be28ab76147f69e'],
  ['sqlite/037-shares-by-address.sql', 'c74a7d838300725d'],
  ['sqlite/038-turns-by-index.sql', 'e36ed85045f63a6a'],
  ['sqlite/039-days-told-again.sql', '0aa6104a95b5b62d'],
  ['sqlite/040-tokens-of-accounts.sql', '7670db98cafbbec3'],
];

test('each migration is in this list', () => {
  const files = readdirSync(join(projectRoot, 'db'), { recursive: true }).map(String);
  const migrations = files.filter((file) => file.endsWith('.sql')).toSorted();
  expect(RELEASED.map(([file]) => file)).toEqual(migrations);
});

test.each(RELEASED)('the migration %s is as it was released', (file, digest) => {
  const content = readFileSync(join(projectRoot, 'db', file));
  expect(createHash('sha256').update(content).digest('hex').slice(0, 16)).toBe(digest);
});
