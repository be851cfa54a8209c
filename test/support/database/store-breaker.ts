import { existsSync } from 'node:fs';
import pg from 'pg';
import { Sqlite } from '../../../src/shared/sqlite.ts';
import type { DatabaseLocation } from '../../../src/store/driver/open-store.ts';

/** Another process on the bridge's database, which really breaks it for a while. */
export interface StoreBreaker {
  /** Runs `work` while a statement such as `insert on mappings` fails. */
  whileFailing(statement: string, work: () => Promise<void>): Promise<void>;
  /** Runs `work` while a table cannot be found, so that reading fails too. */
  whileMissing(table: string, work: () => Promise<void>): Promise<void>;
  /** Runs `work` while nobody else can use a table, or anything at all where locks are not smaller. */
  whileLocked(table: string, work: () => Promise<void>): Promise<void>;
  close(): Promise<void>;
}

interface Session {
  run(table: string, statement: string): Promise<void>;
  failingTrigger(statement: string): string;
  dropTrigger(table: string): string;
  lock(table: string): string;
  close(): Promise<void>;
}

function openSqlite(file: string): Session {
  const files = [file, file.replace(/\.db$/, '-volatile.db')].filter((one) => existsSync(one));
  const handles = files.map((one) => new Sqlite(one));
  for (const handle of handles) handle.pragma('legacy_alter_table = on');
  const holder = (table: string) => {
    const query = 'select 1 from sqlite_master where name in (?, ?)';
    return handles.find((handle) => handle.prepare(query).get(table, `${table}_hidden`));
  };
  return {
    run: async (table, statement) => void holder(table)?.exec(statement),
    failingTrigger: (statement) =>
      `create trigger broken before ${statement} begin select raise(abort, 'disk I/O error'); end`,
    dropTrigger: () => 'drop trigger broken',
    lock: () => 'begin exclusive',
    close: async () => handles.forEach((handle) => handle.close()),
  };
}

const FAIL = `
  create or replace function broken_store() returns trigger language plpgsql
  as $$ begin raise exception 'disk I/O error' using errcode = 'io_error'; end $$`;

async function openPostgres(url: string): Promise<Session> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  return {
    run: async (_table, statement) => void (await client.query(statement)),
    failingTrigger: (statement) =>
      `${FAIL}; create trigger broken before ${statement} for each row execute function broken_store()`,
    dropTrigger: (table) => `drop trigger broken on ${table}`,
    lock: (table) => `begin; lock table ${table} in access exclusive mode`,
    close: () => client.end(),
  };
}

/** Opens a session of its own on the bridge's database. */
export async function openStoreBreaker(database: DatabaseLocation): Promise<StoreBreaker> {
  const session = database.kind === 'sqlite' ? openSqlite(database.file) : await openPostgres(database.url);
  const between = async (
    table: string,
    { before, after }: { before: string; after: string },
    work: () => Promise<void>,
  ) => {
    await session.run(table, before);
    try {
      await work();
    } finally {
      await session.run(table, after);
    }
  };
  return {
    whileFailing(statement, work) {
      const table = statement.split(' ').at(-1) ?? '';
      const before = session.failingTrigger(statement);
      return between(table, { before, after: session.dropTrigger(table) }, work);
    },
    whileMissing(table, work) {
      const before = `alter table ${table} rename to ${table}_hidden`;
      return between(table, { before, after: `alter table ${table}_hidden rename to ${table}` }, work);
    },
    whileLocked: (table, work) => between(table, { before: session.lock(table), after: 'rollback' }, work),
    close: () => session.close(),
  };
}
