import { readFileSync } from 'node:fs';
import pg from 'pg';
import { Sqlite } from '../../../src/shared/sqlite.ts';
import { migrationFiles } from '../../../src/store/driver/schema/migrations.ts';
import { type DatabaseLocation, openStore } from '../../../src/store/driver/open-store.ts';
import { callsWholeAfter } from '../../../src/store/usage/known-calls.ts';
import { choosePlace, databaseKinds, type Place } from '../support/stores.ts';

/** A database of a version that did not note since when it counts calls: what it knows of is the first call that it counted. */

/** The migration that notes the moment, by its folder. */
const NOTING = { 'sqlite-volatile': 13, postgres: 21 };

/** The schema as it was, with rows of that version. */
async function makeOlder(location: DatabaseLocation, rows: string): Promise<void> {
  const isSqlite = location.kind === 'sqlite';
  const folder = isSqlite ? 'sqlite-volatile' : 'postgres';
  const older = migrationFiles(folder).filter(({ number }) => number < NOTING[folder]);
  const texts = [...older.map(({ path }) => readFileSync(path, 'utf8')), rows];
  const newest = older.at(-1)?.number ?? 0;
  if (isSqlite) {
    const handle = new Sqlite(location.file.replace(/\.db$/, '-volatile.db'));
    for (const text of texts) handle.exec(text);
    handle.pragma(`user_version = ${newest}`);
    handle.close();
    return;
  }
  const client = new pg.Client({ connectionString: location.url });
  await client.connect();
  for (const text of texts) await client.query(text);
  await client.query('create table schema_version (number integer not null)');
  await client.query('insert into schema_version (number) values ($1)', [newest]);
  await client.end();
}

const COLUMNS = 'mapping_id, day, endpoint, carrier, user_agent, outcome, calls, last_at';
const CALLS = `insert into usage (${COLUMNS}) values
  ('m', '2027-01-20', '/1/user.json', 'header', 'x', 'ok', 2, 5000),
  ('m', '2027-01-21', '/1/user.json', 'header', 'x', 'ok', 2, 9000);`;

describe.each(databaseKinds)('on %s', (kind) => {
  let place: Place;

  beforeEach(async () => {
    place = await choosePlace(kind);
  });
  afterEach(() => place.remove());

  async function upgraded(rows: string) {
    await makeOlder(place.location, rows);
    const store = await openStore(place.location);
    try {
      return await callsWholeAfter(store);
    } finally {
      await store.close();
    }
  }

  test('calls are whole since the first one that is known', async () => {
    expect(await upgraded(CALLS)).toEqual({ tokens: 5000, apps: 5000 });
  });

  test('a later loss, and a later beginning of the sums of apps, keep their moments', async () => {
    const later = 'update app_calls_begin set lost_before = 7000, whole_after = 8000;';
    expect(await upgraded(`${CALLS} ${later}`)).toEqual({ tokens: 7000, apps: 8000 });
  });

  test('without a known call nobody knows since when', async () => {
    expect(await upgraded('select 1;')).toEqual({ tokens: Infinity, apps: Infinity });
  });
});
