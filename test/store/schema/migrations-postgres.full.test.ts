import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { findMapping } from '../../../src/store/tokens/mappings.ts';
import { openStore } from '../../../src/store/driver/open-store.ts';
import { freshDatabase, type TestDatabase } from '../../support/database/database.ts';

describe('on postgres, beside processes that serve', () => {
  let database: TestDatabase;
  let operator: pg.Client;
  const open = () => openStore({ kind: 'postgres', url: database.url });

  beforeEach(async () => {
    database = await freshDatabase();
    operator = new pg.Client({ connectionString: database.url });
    await operator.connect();
  });

  afterEach(async () => {
    await operator.end();
    await database.drop();
  });

  test('a migration that changes a table fails no call of an older process', async () => {
    const store = await open();
    const readings = () => Promise.all(Array.from({ length: 20 }, () => findMapping(store, ['unknown'])));
    await readings();
    await operator.query('alter table mappings add column of_a_newer_version text');
    expect(await readings()).toEqual(Array.from({ length: 20 }, () => undefined));
    await store.close();
  });

  test('a starter waits for the migration of another for longer than for any other lock', async () => {
    await operator.query('begin; select pg_advisory_xact_lock(4917203)');
    const starting = open();
    const outcome = starting.then(
      () => 'opened',
      (error: Error) => error.message,
    );
    expect(await Promise.race([outcome, delay(5500, 'waits')])).toBe('waits');
    await operator.query('commit');
    expect(await outcome).toBe('opened');
    await (await starting).close();
  });

  test('where nothing is to be migrated nobody waits for that lock', async () => {
    await (await open()).close();
    await operator.query('begin; select pg_advisory_xact_lock(4917203)');
    await (await open()).close();
    await operator.query('commit');
  });
});
