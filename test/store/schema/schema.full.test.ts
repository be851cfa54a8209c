import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectRoot } from '../../../src/shared/project-root.ts';
import { openStore } from '../../../src/store/driver/open-store.ts';
import { postgresSchema, sqliteSchema } from '../support/schemas.ts';
import { choosePlace, type Place } from '../support/stores.ts';

/** Both databases have the same columns, references and indexes, and db/SCHEMA.md describes their tables. */

let places: Place[];
let file: string;
let url: string;

beforeAll(async () => {
  places = [await choosePlace('sqlite'), await choosePlace('postgres')];
  for (const { location } of places) {
    await (await openStore(location)).close();
    if (location.kind === 'sqlite') file = location.file;
    else url = location.url;
  }
});

afterAll(async () => {
  for (const place of places) await place.remove();
});

const volatileFile = () => file.replace(/\.db$/, '-volatile.db');

/** What PostgreSQL keeps until a later version drops it (db/postgres/047-tokens-of-accounts.sql tells why). */
const KEPT = ['mappings (account_id) of some'];

test('what may not be lost has the same schema on both', async () => {
  const schema = sqliteSchema(file);
  const indexes = [...schema.indexes, ...KEPT].toSorted();
  expect(await postgresSchema(url, 'logged')).toEqual({ ...schema, indexes });
  expect(schema.columns).toContain('grants.version number');
  expect(schema.references).toContain('legacy_codes.mapping_id -> mappings.id');
  expect(schema.indexes).toContain('unique grants (client_id, account_id) of some');
});

test('what may be lost in a power cut has the same schema on both, in unlogged tables', async () => {
  const schema = sqliteSchema(volatileFile());
  expect(await postgresSchema(url, 'unlogged')).toEqual(schema);
  expect(schema.columns).toContain('leases.name text key');
});

test('every table of either database is described in db/SCHEMA.md', async () => {
  const description = readFileSync(join(projectRoot, 'db', 'SCHEMA.md'), 'utf8');
  const schemas = [sqliteSchema(file), sqliteSchema(volatileFile()), await postgresSchema(url, 'logged')];
  const tables = new Set(schemas.flatMap(({ columns }) => columns.map((column) => column.split('.')[0])));
  expect([...tables].filter((table) => !description.includes(`| \`${table}\``))).toEqual([]);
});
