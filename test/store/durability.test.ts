import { sql } from 'kysely';
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
