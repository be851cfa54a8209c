import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Sqlite } from '../../../src/shared/sqlite.ts';
import { migrationFiles } from '../../../src/store/driver/schema/migrations.ts';
import { openSqliteStore } from '../../../src/store/driver/sqlite.ts';
import { backUp } from '../../../src/store/files/sqlite-backup.ts';
import { restoreFile } from '../../../src/store/files/sqlite-restore.ts';

/** A database that a newer version brought to its schema, and an older version that works with it, or does not. */

const NEWEST = migrationFiles('sqlite').at(-1)?.number ?? 0;

const folder = mkdtempSync(join(tmpdir(), 'newer-schema-'));

afterAll(() => rmSync(folder, { recursive: true }));

/** A database after the next migration, which declares from which schema on programs work. */
async function makeNewer(name: string, worksFrom: number): Promise<string> {
  const file = join(folder, name);
  await openSqliteStore(file).close();
  const db = new Sqlite(file);
  db.exec('alter table mappings add column of_a_newer_version text');
  db.prepare('insert into schema_version (number, works_from) values (?, ?)').run(NEWEST + 1, worksFrom);
  db.pragma(`user_version = ${NEWEST + 1}`);
  db.close();
  return file;
}

test('where the older version works with the schema it makes backups, and puts them back', async () => {
  const [source, backup] = [await makeNewer('works.db', NEWEST), join(folder, 'backup.db')];
  expect(await backUp(source, backup)).toMatchObject({ schema: NEWEST + 1 });
  const target = join(folder, 'restored.db');
  expect(await restoreFile(backup, target, { check: () => undefined })).toMatchObject({ schema: NEWEST + 1 });
  await openSqliteStore(target).close();
});

test('where it does not work with the schema there is no backup', async () => {
  const [source, backup] = [await makeNewer('refused.db', NEWEST + 1), join(folder, 'none.db')];
  await expect(backUp(source, backup)).rejects.toThrow(
    `has schema ${NEWEST + 1}, this version knows schemas up to ${NEWEST} and does not work with it`,
  );
  expect(existsSync(backup)).toBe(false);
});
