import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { sql } from 'kysely';
import { importFile, type ImportResult } from '../../src/domain/import/reading/import-file.ts';
import { type History, openHistory } from '../domain/support/histories.ts';
import { databaseKinds } from '../store/support/stores.ts';

/** A trial on a database to which a newer version has added columns, as an older version meets one after going back. */

const APP = 'a'.repeat(24);
const ACCOUNT = 'c'.repeat(24);
const LEGACY = 'e'.repeat(24);

const ROWS = [
  {
    type: 'app',
    client_id: APP,
    name: 'An App',
    client_secret: 'a-secret-of-the-app',
    callback_urls: ['http://a.example/x'],
    contacts: 'one@a.example',
    owner_account_id: LEGACY,
  },
  { type: 'account', legacy_id: LEGACY, modern_id: ACCOUNT },
  { type: 'token', access_token: `1/${'t'.repeat(32)}`, client_id: APP, account_id: LEGACY },
];

/** All of which a trial copies rows. */
const TABLES = ['apps', 'app_secrets', 'app_callbacks', 'app_contacts', 'accounts', 'id_pairs', 'mappings'];

describe.each(databaseKinds)('on %s', (kind) => {
  let place: History;

  beforeEach(async () => {
    place = await openHistory(kind);
  });

  afterEach(() => place.close());

  function take(more: { isDryRun?: boolean; maxRefused?: number }): Promise<ImportResult> {
    const file = join(place.varDir, 'file');
    writeFileSync(file, ROWS.map((row) => `${JSON.stringify(row)}\n`).join(''));
    return importFile(place.context, {
      file,
      folder: join(place.varDir, 'imports'),
      isDryRun: false,
      origin: { actor: 'test', requestId: null },
      onProgress: () => {},
      ...more,
    });
  }

  test('columns that this version does not know are left out of the trial', async () => {
    expect(await take({})).toMatchObject({ new: 3 });
    for (const table of TABLES)
      await sql`alter table ${sql.table(table)} add column of_a_newer_version text`.execute(place.db);
    const asBefore = { new: 0, known: 3, changed: 0, refused: 0 };
    expect(await take({ isDryRun: true })).toMatchObject(asBefore);
    expect(await take({ maxRefused: 0 })).toMatchObject({ ...asBefore, written: true });
  });
});
