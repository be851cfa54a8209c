import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { readConfig } from '../../../config/config.ts';
import { epochFileOf } from '../../../app/open-context.ts';
import { effectsOf, type MigrationEffects } from '../../../store/driver/schema/migration-effects.ts';
import { migrationFiles } from '../../../store/driver/schema/migrations.ts';
import { type DatabaseLocation, describeLocation } from '../../../store/driver/open-store.ts';
import { type MigrationFolder, newestOf, readOneSchema } from '../../../store/driver/schema/schema-state.ts';
import { volatileFileOf } from '../../../store/driver/sqlite.ts';
import { readTableSizes, type TableSize } from '../../../store/driver/schema/table-sizes.ts';
import { declaredIn } from '../../../store/driver/schema/works-from.ts';
import { findLostDatabase } from '../../../store/files/epoch-file.ts';
import type { Result } from '../result.ts';

/** `migrate --plan`: what `migrate` would do, in its order. Changes nothing. */

interface MigrationPlan extends MigrationEffects {
  number: number;
  name: string;
  /** The oldest schema whose program works with the database after the migration. */
  worksFrom: number;
}

interface DatabasePlan {
  kind: 'durable' | 'volatile';
  place: string;
  /** Undefined where there is no database of the bridge. */
  schema: number | undefined;
  newest: number;
  /** False where a newer version wrote the database and this one does not work with it. */
  isUsable: boolean;
  migrations: MigrationPlan[];
  /** Of the tables that exist now and that a migration names. */
  sizes: TableSize[];
}

interface PlannedDatabase {
  kind: DatabasePlan['kind'];
  folder: MigrationFolder;
  location: DatabaseLocation;
}

/** The databases in the order in which they are brought to the newest schema. PostgreSQL holds the volatile rows too. */
function databasesAt(location: DatabaseLocation): PlannedDatabase[] {
  const durable = { kind: 'durable', folder: location.kind, location } as const;
  if (location.kind === 'postgres') return [durable];
  const beside = { kind: 'sqlite', file: volatileFileOf(location.file) } as const;
  return [durable, { kind: 'volatile', folder: 'sqlite-volatile', location: beside }];
}

async function planOf({ kind, folder, location }: PlannedDatabase): Promise<DatabasePlan> {
  const { present, isUsable } = await readOneSchema(location, folder);
  const migrations = migrationFiles(folder)
    .filter(({ number }) => number > present)
    .map(({ number, path }) => {
      const sql = readFileSync(path, 'utf8');
      const worksFrom = declaredIn(sql) ?? number;
      return { number, name: basename(path, '.sql'), worksFrom, ...effectsOf(sql) };
    });
  const tables = [...new Set(migrations.flatMap((one) => one.tables))];
  return {
    kind,
    place: describeLocation(location),
    schema: present === 0 ? undefined : present,
    newest: newestOf(folder),
    isUsable,
    migrations,
    sizes: present === 0 ? [] : await readTableSizes(location, tables),
  };
}

const MEGABYTE = 1024 * 1024;

function sizeWords({ table, rows, bytes }: TableSize): string {
  if (bytes === null) return `${table}: ${rows} rows`;
  const size = `${(bytes / MEGABYTE).toFixed(1)} MB`;
  return rows === null ? `${table}: ${size}` : `${table}: about ${rows} rows, ${size}`;
}

/** Which programs of older versions may go on beside this one. */
const worksWords = ({ number, worksFrom }: MigrationPlan) =>
  worksFrom === number
    ? 'No older version works with the database afterwards.'
    : `Versions from schema ${worksFrom} on work with the database afterwards.`;

function migrationLines(plan: MigrationPlan): string[] {
  const { name, adds, changes } = plan;
  const verdict =
    changes.length === 0 ? 'only adds' : 'changes rows or tables that exist, or is not known to only add';
  return [
    `  ${name}: ${verdict}. ${worksWords(plan)}`,
    ...(changes.length > 0 ? [`      changes: ${changes.join(', ')}`] : []),
    ...(adds.length > 0 ? [`      adds: ${adds.join(', ')}`] : []),
  ];
}

function newerLine({ schema, newest, isUsable }: DatabasePlan, name: string): string {
  const verdict = isUsable ? 'This version works with it. Nothing would run.' : 'migrate would refuse it.';
  return `${name} has schema ${schema}, and this version of the bridge knows schema ${newest}: a newer version wrote the database. ${verdict}`;
}

function databaseLines(plan: DatabasePlan): string[] {
  const { kind, place, schema, newest, migrations, sizes } = plan;
  const name = `The ${kind} database at ${place}`;
  if (schema !== undefined && schema > newest) return [newerLine(plan, name)];
  if (migrations.length === 0) return [`${name} has schema ${schema}, the newest one. Nothing would run.`];
  const count = migrations.length === 1 ? '1 migration' : `${migrations.length} migrations`;
  const begin =
    schema === undefined
      ? `There is no ${kind} database of the bridge at ${place}. It would be made by`
      : `${name} has schema ${schema}. It would be brought to schema ${newest} by`;
  return [
    `${begin} ${count}, in this order and in one transaction:`,
    ...migrations.flatMap(migrationLines),
    ...(sizes.length > 0 ? ['  Tables of now that these migrations name:'] : []),
    ...sizes.map((size) => `      ${sizeWords(size)}`),
  ];
}

const jsonOf = ({ kind, place, schema, newest, isUsable, migrations, sizes }: DatabasePlan) => ({
  kind,
  database: place,
  schema: schema ?? null,
  newest,
  is_newer: schema !== undefined && schema > newest,
  usable: isUsable,
  migrations: migrations.map(({ worksFrom, ...one }) => ({
    ...one,
    works_from: worksFrom,
    adds_only: one.changes.length === 0,
  })),
  tables: sizes,
});

/** `migrate --plan`: what would run, and what the statements say that they do. */
export async function planMigration(): Promise<Result> {
  const config = readConfig();
  const lost = await findLostDatabase(epochFileOf(config), config.database);
  if (lost !== undefined) throw new Error(lost);
  const plans: DatabasePlan[] = [];
  for (const one of databasesAt(config.database)) plans.push(await planOf(one));
  return {
    ok: true,
    lines: [...plans.flatMap(databaseLines), 'Nothing was changed.'],
    json: { databases: plans.map(jsonOf) },
  };
}
