import type { Result } from './result.ts';

/** PostgreSQL has its own programs for copies; these are the lines of the README, ready to be used. */

function refusal(why: string, commands: readonly string[]): Result {
  return {
    ok: false,
    lines: [`${why} Nothing was done. Use:`, ...commands.map((line) => `  ${line}`)],
    json: { refused: why, commands },
  };
}

/** The address stays in the environment: it may hold a password. */
export const POSTGRES_BACKUP: Result = refusal('A PostgreSQL database is backed up by its own programs.', [
  'npx grantbridge doctor',
  'pg_dump --format=custom --no-unlogged-table-data --no-owner --file=FILE "$DATABASE_URL"',
  'pg_restore --list FILE',
]);

/** A dump that is read into a new database is known for a copy by its place. */
export const POSTGRES_RESTORE: Result = refusal('A PostgreSQL database is restored by its own programs.', [
  'createdb NEW_NAME',
  'pg_restore --exit-on-error --single-transaction --no-owner --dbname=postgres://…/NEW_NAME FILE',
  'DATABASE_URL=postgres://…/NEW_NAME npx grantbridge doctor',
  'DATABASE_URL=postgres://…/NEW_NAME npx grantbridge restore --take-over',
]);
