import { readConfig } from '../../../config/config.ts';
import { readSchema, type SchemaState } from '../../../store/driver/schema/schema-state.ts';
import { findLostDatabase } from '../../../store/files/epoch-file.ts';
import { describeLocation } from '../../../store/driver/open-store.ts';
import { epochFileOf } from '../../../app/open-context.ts';
import type { Result } from '../result.ts';
import { planMigration } from './plan.ts';
import { WrongUsage } from '../wrong-usage.ts';
import { withNewestSchema } from '../with-context.ts';

const worksWords = (isUsable: boolean) =>
  isUsable ? 'This version works with it.' : 'This version does not work with it.';

const newerWords = (place: string, { present, newest, isUsable }: SchemaState) =>
  `The database at ${place} has schema ${present}, and this version of the bridge knows schema ${newest}: a newer version wrote the database. ${worksWords(isUsable)}`;

function linesOf(place: string, state: SchemaState): string[] {
  const { present, newest, waiting } = state;
  if (present === undefined)
    return [`There is no database of the bridge at ${place}. To make one: grantbridge migrate`];
  if (present > newest) return [newerWords(place, state)];
  if (waiting.length === 0) return [`The database at ${place} has schema ${present}, the newest one.`];
  const behind =
    present === newest
      ? `The database at ${place} has schema ${present}, the newest one. The volatile database beside it is older.`
      : `The database at ${place} has schema ${present}, and this version of the bridge knows schema ${newest}.`;
  const said = `${behind} Migrations that wait:`;
  return [said, ...waiting.map((name) => `  ${name}`)];
}

async function tellStatus(): Promise<Result> {
  const config = readConfig();
  const { database } = config;
  const lost = await findLostDatabase(epochFileOf(config), database);
  if (lost !== undefined) throw new Error(lost);
  const state = await readSchema(database);
  const { present = null, newest, waiting, isUsable } = state;
  const place = describeLocation(database);
  return {
    ok: true,
    lines: linesOf(place, state),
    json: { database: place, schema: present, newest, waiting, usable: isUsable },
  };
}

function volatileWords({ beside, lacksVolatile }: SchemaState): string {
  if (lacksVolatile) return ' The volatile database beside it was made.';
  return beside.length > 0
    ? ` The volatile database beside it got these migrations: ${beside.join(', ')}.`
    : '';
}

function migratedWords(place: string, state: SchemaState): string {
  const { present, newest } = state;
  if (present === undefined) return `The database was made, with schema ${newest}.`;
  if (present > newest) return `${newerWords(place, state)} No schema was changed.`;
  const volatile = volatileWords(state);
  if (present !== newest)
    return `The database was brought from schema ${present} to the newest schema, ${newest}.${volatile}`;
  return `The database has the newest schema, ${newest}, already.${volatile || ' No schema was changed.'}`;
}

/**
 * `migrate [--status | --plan]`: brings the database to the newest schema. `--status` prints the schema, `--plan` what
 * would run; both change nothing.
 */
export async function migrateDatabase(options: Record<string, unknown>): Promise<Result> {
  if (options['status'] === true && options['plan'] === true)
    throw new WrongUsage('--status and --plan are two questions: ask one');
  if (options['plan'] === true) return planMigration();
  if (options['status'] === true) return tellStatus();
  const { database } = readConfig();
  const state = await readSchema(database);
  const { present = 0, newest, beside } = state;
  return withNewestSchema(async () => ({
    ok: true,
    lines: [migratedWords(describeLocation(database), state)],
    json: {
      migrated: present < newest || beside.length > 0,
      before: state.present ?? null,
      schema: Math.max(present, newest),
      volatile: beside,
    },
  }));
}
