import { copyFileSync, existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { sql } from 'kysely';
import { Sqlite } from '../../src/shared/sqlite.ts';
import { volatileFileOf } from '../../src/store/driver/sqlite.ts';
import { openStore } from '../../src/store/driver/open-store.ts';
import type { Store } from '../../src/store/driver/store.ts';
import { choosePlace } from './support/stores.ts';

/** What is committed is kept: the settings that this rests on are checked, not hoped for. */

async function firstValue(db: Store['durable'] | Store['volatile'], text: string): Promise<unknown> {
  const { rows } = await sql.raw(text).execute(db);
  return Object.values(rows[0] as object)[0];
}

test('the durable SQLite file is WAL with synchronous FULL, the volatile one with NORMAL', async () => {
  const place = await choosePlace('sqlite');
  const store = await openStore(place.location);
  const { durable, volatile } = store;
  expect(await firstValue(durable, 'pragma journal_mode')).toBe('wal');
  expect(await firstValue(durable, 'pragma synchronous')).toBe(2);
  expect(await firstValue(volatile, 'pragma synchronous')).toBe(1);
  expect(await firstValue(durable, 'pragma foreign_keys')).toBe(1);
  await store.close();
  await place.remove();
});

test.each(['alone', 'beside a command that reads'])(
  'after a clean stop each SQLite file is whole by itself, %s, whatever was read at the end',
  async (company) => {
    const place = await choosePlace('sqlite');
    const store = await openStore(place.location);
    const connections = [store.durable, store.aside, store.volatile];
    for (const [at, db] of connections.entries()) {
      await sql.raw(`create table newest_${at} (found text)`).execute(db);
      await sql.raw(`insert into newest_${at} values ('whole')`).execute(db);
    }
    for (const [at, db] of connections.entries())
      expect(await firstValue(db, `select found from newest_${at}`)).toBe('whole');
    await store.rows('select found from newest_0', []);
    const { file } = place.location as { file: string };
    const files = [file, volatileFileOf(file)];
    // Each has read, so each has the log open too.
    const others = company === 'alone' ? [] : files.map((path) => new Sqlite(path));
    for (const other of others) other.prepare('select count(*) from sqlite_schema').get();
    await store.close();
    const isLeft = company !== 'alone';
    expect(files.map((path) => existsSync(`${path}-wal`))).toEqual([isLeft, isLeft]);
    const found = connections.map((_, at) => {
      const copy = join(dirname(file), `copy-${at}.db`);
      copyFileSync(at === 2 ? volatileFileOf(file) : file, copy);
      const db = new Sqlite(copy, { readonly: true });
      const value = db.prepare(`select found from newest_${at}`).pluck().get();
      db.close();
      return value;
    });
    expect(found).toEqual(['whole', 'whole', 'whole']);
    for (const other of others) other.close();
    await place.remove();
  },
);
