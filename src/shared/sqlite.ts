import { createRequire } from 'node:module';
import type BetterSqlite3 from 'better-sqlite3';

/**
 * SQLite, in the binding that fits the running Node (docs/decisions/0039). No other file loads one: each brings a SQLite
 * of its own, and of two in one process the one that closes a file ends the locks that the other has on it.
 */

/**
 * Node 20 costs the second binding. Version 13 needs Node-API 10, which Node has from 22.14 on: without it the process
 * ends at the first database. Version 12 ends it on Node 24.19 and newer. scripts/install/sqlite-binding.mjs chooses alike.
 */
const PACKAGE = Number(process.versions.napi) >= 10 ? 'better-sqlite3-napi' : 'better-sqlite3';

function loadBinding(): typeof BetterSqlite3 {
  try {
    const binding: typeof BetterSqlite3 = createRequire(import.meta.url)(PACKAGE);
    // The older package looks for its compiled part at the first database.
    new binding(':memory:').close();
    return binding;
  } catch (cause) {
    throw new Error(
      `${PACKAGE} does not load, which Node ${process.versions.node} needs. Run npm ci with this Node`,
      { cause },
    );
  }
}

/** Opens a database file. */
export const Sqlite = loadBinding();

export declare namespace Sqlite {
  type Database = BetterSqlite3.Database;
  type Statement = BetterSqlite3.Statement;
}
