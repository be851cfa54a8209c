import { closeSync, existsSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import { CompiledQuery, Kysely, sql as expression } from 'kysely';
import { Sqlite } from '../../shared/sqlite.ts';
import { giveToOwner, makePrivateFolder } from '../../shared/private-file.ts';
import { ConnectionUse, type DatabaseListener, NOBODY_LISTENS } from './connection-use.ts';
import { HAS_OPEN_COLUMNS, withKeptStatements } from './sqlite-statements/kept-statements.ts';
import { migrate } from './schema/migrations.ts';
import { rowMaker } from './sqlite-statements/row-maker.ts';
import { withNextStep } from './refused-access.ts';
import { PatientDialect } from './sqlite-dialect.ts';
import { createTurnWrites } from './sqlite-statements/turn-writes.ts';
import { bindParameters, type BoundSql } from './sqlite-statements/statement-parameters.ts';
import type { Store } from './store.ts';
import type { Tables, VolatileTables } from '../tables/tables.ts';

/** For opening and migrating the files. Later locks are waited for without blocking the process (sqlite-dialect.ts). */
const OPENING_PATIENCE = 5000;

/** Opens a database file. FULL keeps every commit across a power cut; NORMAL may lose the last commits. */
function openFile(file: string, synchronous: 'FULL' | 'NORMAL'): Sqlite.Database {
  makePrivateFolder(dirname(file));
  if (!existsSync(file)) {
    // SQLite gives its WAL the mode and owner of the file; no other user may read either file. A file that this process
    // has open already is left alone: closing it here would end the locks of the other connection.
    closeSync(openSync(file, 'a', 0o600));
    giveToOwner(file);
  }
  const handle = new Sqlite(file, { timeout: OPENING_PATIENCE });
  handle.pragma('journal_mode = WAL');
  handle.pragma(`synchronous = ${synchronous}`);
  handle.pragma('foreign_keys = ON');
  return handle;
}

interface PreparedRead extends Pick<BoundSql, 'given'> {
  statement: Sqlite.Statement;
  rowOf: ReturnType<typeof rowMaker>;
}

/** The memory of a reader for the pages of each file: the inner pages of the indexes of a million tokens have room. */
const READER_CACHE_KB = 16 * 1024;

/**
 * Each statement is prepared once, on a separate read-only connection, so that the reader never sees an uncommitted row
 * of this process.
 */
function preparedReader(file: string, beside?: string) {
  const reader = new Sqlite(file, { readonly: true, timeout: 5000 });
  if (beside !== undefined) reader.prepare('attach database ? as volatile').run(beside);
  for (const { name } of reader.pragma('database_list') as Array<{ name: string }>)
    reader.pragma(`${name}.cache_size = -${READER_CACHE_KB}`);
  const statements = new Map<string, PreparedRead>();
  const prepared = (sql: string): PreparedRead => {
    const known = statements.get(sql);
    if (known) return known;
    if (HAS_OPEN_COLUMNS.test(sql)) throw new Error(`a kept statement must name its columns: ${sql}`);
    const { text, given } = bindParameters(sql);
    const statement = reader.prepare(text).raw();
    const read = { statement, given, rowOf: rowMaker(statement.columns().map(({ name }) => name)) };
    statements.set(sql, read);
    return read;
  };
  const first = (sql: string, parameters: readonly string[]) => {
    const { statement, given, rowOf } = prepared(sql);
    const values = statement.get(...given(parameters)) as unknown[] | undefined;
    return values && rowOf(values);
  };
  return {
    first: async <Row>(sql: string, parameters: readonly string[]) =>
      first(sql, parameters) as Row | undefined,
    firstSoon: (({ one }, parameters) => first(one, parameters)) as Store['firstSoon'],
    rows: async <Row>(sql: string, parameters: readonly string[]) => {
      const { statement, given, rowOf } = prepared(sql);
      return (statement.all(...given(parameters)) as unknown[][]).map((values) => rowOf(values) as Row);
    },
    close: () => reader.close(),
  };
}

function openDurable(file: string): Sqlite.Database {
  try {
    return openFile(file, 'FULL');
  } catch (cause) {
    throw new Error(`DATABASE_URL: ${file} cannot be opened: ${withNextStep(cause)}`, { cause });
  }
}

function findProblem(handle: Sqlite.Database): string | undefined {
  const finding = handle.pragma('integrity_check(1)', { simple: true });
  return finding === 'ok' ? undefined : `the database is damaged: ${String(finding)}`;
}

/** The path of the volatile file beside a durable file. */
export function volatileFileOf(file: string): string {
  return file.replace(/(\.db)?$/, '-volatile.db');
}

interface Handles {
  writer: Sqlite.Database;
  reader: Sqlite.Database;
}

/** Only the file can tell where it lies. */
const NO_PLACE = expression<string>`''`;

const patientDialect = (use: ConnectionUse, { writer, reader }: Handles) =>
  new PatientDialect({ writer: withKeptStatements(writer), reader: withKeptStatements(reader), use });

/**
 * Moves what it can of the log into the file. SQLite does so when the last connection closes, which may be one that only
 * reads, and so cannot, or one of another process, such as a command that follows the history.
 * Then the file alone, copied by hand after a clean stop, would lack its newest commits. A passive turn waits for nobody.
 */
function moveLogIn(handle: Sqlite.Database): void {
  try {
    handle.pragma('wal_checkpoint(passive)');
  } catch {
    // A full disk or a lock: the log stays beside the file, and the next opening reads it.
  }
}

/** The connections that work takes in turn: for durable rows, for volatile ones, and for durable rows beside the others. */
const WRITERS = 3;

/** Opens the connections that write, in that order, and migrates their files. */
function openWriters(file: string): [Sqlite.Database, Sqlite.Database, Sqlite.Database] {
  const durable = openDurable(file);
  const volatile = openFile(volatileFileOf(file), 'NORMAL');
  migrate(durable, 'sqlite');
  migrate(volatile, 'sqlite-volatile');
  const writers = [durable, volatile, openDurable(file)] as const;
  for (const handle of writers) handle.pragma('busy_timeout = 0');
  return [...writers];
}

const turnWrites = (handle: Sqlite.Database, db: Kysely<VolatileTables>, use: ConnectionUse) =>
  createTurnWrites({
    handle,
    ran: (milliseconds) => use.noteTogether(milliseconds),
    inItsTurn: async ({ sql, parameters }) =>
      void (await db.executeQuery(CompiledQuery.raw(bindParameters(sql).text, [...parameters]))),
  });

/**
 * Opens (and migrates) the SQLite store: `file` holds the data that must survive a power cut, `file` with `-volatile`
 * the rest.
 */
export function openSqliteStore(file: string, listener: DatabaseListener = NOBODY_LISTENS): Store {
  const [durableFile, volatileFile, asideFile] = openWriters(file);
  const use = new ConnectionUse(listener);
  const readers: Sqlite.Database[] = [];
  const dialectOf = (writer: Sqlite.Database) => {
    const reading = new Sqlite(writer.name, { readonly: true, timeout: 0 });
    readers.push(reading);
    return patientDialect(use, { writer, reader: reading });
  };
  const durable = new Kysely<Tables>({ dialect: dialectOf(durableFile) });
  const aside = new Kysely<Tables>({ dialect: dialectOf(asideFile) });
  const volatile = new Kysely<VolatileTables>({ dialect: dialectOf(volatileFile) });
  const reader = preparedReader(file, volatileFileOf(file));
  const volatileReader = preparedReader(volatileFileOf(file));
  const writeTogether = turnWrites(volatileFile, volatile, use);
  const clock = durableFile.prepare("select cast(unixepoch('subsec') * 1000 as integer)").pluck();
  return {
    durable,
    aside,
    volatile,
    transaction: (work) => durable.transaction().execute(work),
    first: reader.first,
    firstSoon: reader.firstSoon,
    rows: reader.rows,
    volatileRows: volatileReader.rows,
    volatileWrite: (sql, parameters) => writeTogether({ sql, parameters }),
    now: async () => clock.get() as number,
    place: async () => '',
    placeExpression: () => NO_PLACE,
    findCommitProblem: async () => undefined,
    findProblem: async () => findProblem(durableFile),
    connections: () => use.counts(WRITERS),
    connectionWait: () => 0,
    async close() {
      reader.close();
      volatileReader.close();
      for (const handle of readers) handle.close();
      for (const handle of [durableFile, volatileFile]) moveLogIn(handle);
      await durable.destroy();
      await aside.destroy();
      await volatile.destroy();
      // The query builder closes only a file that it has used.
      for (const handle of [durableFile, volatileFile, asideFile]) handle.close();
    },
  };
}
