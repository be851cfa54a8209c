import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Sqlite } from '../../src/shared/sqlite.ts';
import { openSqliteStore } from '../../src/store/driver/sqlite.ts';
import { backUp } from '../../src/store/files/sqlite-backup.ts';

/** A backup copies in steps, and still is the database of one moment. */

const folder = mkdtempSync(join(tmpdir(), 'backup-moment-'));
const source = join(folder, 'bridge.db');

/** A row fills about one page. */
const ROW_BYTES = 3500;
const ROWS = 5000;

beforeAll(async () => {
  await openSqliteStore(source).close();
  const db = new Sqlite(source);
  db.exec('create table filler (id integer primary key, body blob)');
  db.prepare(
    `with recursive n(i) as (select 1 union all select i + 1 from n where i < ${ROWS}) insert into filler select i, zeroblob(${ROW_BYTES}) from n`,
  ).run();
  db.close();
});

afterAll(() => rmSync(folder, { recursive: true }));

test('a write between two steps is not in the backup, and does not begin the copying anew', async () => {
  const target = join(folder, 'copy.db');
  const writer = new Sqlite(source);
  const add = writer.prepare(`insert into filler (body) values (zeroblob(${ROW_BYTES}))`);
  const seen: Array<{ done: number; total: number }> = [];
  const steps: string[] = [];
  await backUp(source, target, {
    begin: (step) => void steps.push(step),
    tell(progress) {
      seen.push(progress);
      add.run();
    },
  });
  writer.close();
  const copy = new Sqlite(target, { readonly: true });
  expect(copy.prepare('select count(*) from filler').pluck().get()).toBe(ROWS);
  copy.close();
  expect(steps).toEqual(['copying', 'checking the copy']);
  expect(seen.length).toBeGreaterThan(3);
  expect(seen.map(({ done }) => done)).toEqual(seen.map(({ done }) => done).toSorted((a, b) => a - b));
});
