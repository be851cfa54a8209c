import { basename } from 'node:path';
import { readConfig } from '../../../config/config.ts';
import { epochFileOf } from '../../../app/open-context.ts';
import { effectsOfFile, type MigrationEffects } from '../../../store/driver/migration-effects.ts';
import { migrationFiles } from '../../../store/driver/migrations.ts';
import { type DatabaseLocation, describeLocation } from '../../../store/driver/open-store.ts';
import { readSchemaNumber } from '../../../store/driver/schema-state.ts';
import { volatileFileOf } from '../../../store/driver/sqlite.ts';
import { readTableSizes, type TableSize } from '../../../store/driver/table-sizes.ts';
import { findLostDatabase } from '../../../store/files/epoch-file.ts';
import type { Result } from '../result.ts';

/** `migrate --plan`: what `migrate` would do, in its order. Changes nothing. */

interface MigrationPlan extends MigrationEffects {
  number: number;
  name: string;
}

interface DatabasePlan {
  kind: 'durable' | 'volatile';
  place: string;
  /** Undefined where there is no database of the bridge. */
  schema: number | undefined;
  newest: number;
  migrations: MigrationPlan[];
  /** Of the tables that exist now and that a migration names. */
  sizes: TableSize[];
}

interface PlannedDatabase {
  kind: DatabasePlan['kind'];
  folder: string;
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
  const present = await readSchemaNumber(location);
  const files = migrationFiles(folder);
  const migrations = files
    .filter(({ number }) => number > present)
    .map(({ number, path }) => ({ number, name: basename(path, '.sql'), ...effectsOfFile(path) }));
  const tables = [...new Set(migrations.flatMap((one) => one.tables))];
  return {
    kind,
    place: describeLocation(location),
    schema: present === 0 ? undefined : present,
    newest: files.at(-1)?.number ?? 0,
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

function migrationLines({ name, adds, changes }: MigrationPlan): string[] {
  const verdict =
    changes.length === 0 ? 'only adds' : 'changes rows or tables that exist, or is not known to only add';
  return [
    `  ${name}: ${verdict}`,
    ...(changes.length > 0 ? [`      changes: ${changes.join(', ')}`] : []),
    ...(adds.length > 0 ? [`      adds: ${adds.join(', ')}`] : []),
  ];
}

function databaseLines({ kind, place, schema, newest, migrations, sizes }: DatabasePlan): string[] {
  const name = `The ${kind} database at ${place}`;
  if (schema !== undefined && schema > newest)
    return [
      `${name} has schema ${schema}, and this version of the bridge knows schema ${newest}: a newer version wrote the database. migrate would refuse it.`,
    ];
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

const jsonOf = ({ kind, place, schema, newest, migrations, sizes }: DatabasePlan) => ({
  kind,
  database: place,
  schema: schema ?? null,
  newest,
  is_newer: schema !== undefined && schema > newest,
  migrations: migrations.map((one) => ({ ...one, adds_only: one.changes.length === 0 })),
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
