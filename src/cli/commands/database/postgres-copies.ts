import type { Result } from '../result.ts';

/** PostgreSQL has its own programs for copies. These are the lines of docs/operate/backup.md, ready for use. */

function refusal(why: string, commands: readonly string[]): Result {
  return {
    ok: false,
    lines: [`${why} Nothing was done. Use:`, ...commands.map((line) => `  ${line}`)],
    json: { refused: why, commands },
  };
}

/**
 * A command never contains the database address: the address may hold a password, and everybody on the machine can read
 * the arguments of a process.
 */
export const POSTGRES_BACKUP: Result = refusal('A PostgreSQL database is backed up by its own programs.', [
  'npx grantbridge doctor',
  'umask 077   # pg_dump leaves the mode of its file to the umask',
  'export PGHOST=HOST PGPORT=PORT PGUSER=USER PGDATABASE=NAME   # and the password in ~/.pgpass',
  'pg_dump --format=custom --no-unlogged-table-data --no-owner --file=FILE',
  'pg_restore --list FILE',
]);

/** The bridge recognises a dump in a new database as a copy by the place of the database. */
export const POSTGRES_RESTORE: Result = refusal('A PostgreSQL database is restored by its own programs.', [
  'export PGHOST=HOST PGPORT=PORT PGUSER=USER   # and the password in ~/.pgpass',
  'createdb --username=ADMIN --owner=ROLE --encoding=UTF8 --template=template0 NEW_NAME   # ADMIN may create databases, ROLE is that of DATABASE_URL',
  'pg_restore --exit-on-error --single-transaction --no-owner --dbname=NEW_NAME FILE',
  'DATABASE_URL=postgres://…/NEW_NAME npx grantbridge doctor',
  'DATABASE_URL=postgres://…/NEW_NAME npx grantbridge restore --take-over   # a drill needs a VAR_DIR of its own; where the VAR_DIR belongs to a database that is given up, add --replace-original (docs/operate/backup.md)',
]);
