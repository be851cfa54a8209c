import type { Config } from '../../../config/config.ts';
import { examineDates } from '../../../domain/checks/check-dates.ts';
import { examineBudget, examineRefreshing } from '../../../domain/checks/own-checks.ts';
import { type CheckVerdict, notLookedAt, ok, warning } from '../../../domain/checks/verdict.ts';
import { findPlaceProblem } from '../../../domain/instance/detect-copy.ts';
import { findFolderProblem } from '../../../domain/instance/foreign-folder.ts';
import { type ClientInUse, listClientsInUse } from '../../../store/apps/modern-clients.ts';
import { readSchema } from '../../../store/driver/schema/schema-state.ts';
import { findLostDatabase, openEpochFile } from '../../../store/files/epoch-file.ts';
import { describeLocation } from '../../../store/driver/open-store.ts';
import { epochFileOf } from '../../../app/open-context.ts';
import { lookInContext } from '../with-context.ts';
import { failure } from './verdict.ts';

/** What `doctor` reads in the database. `doctor` makes no database and changes no schema. */

/** The state of the database; `unknown` where the database does not open, which the check `database` reports. */
type InstanceState = 'none yet' | 'unknown' | OpenInstance;

interface OpenInstance {
  /** Why the database is a restored copy; undefined for the original. */
  why: string | undefined;
  /** What the operator does about a copy. */
  remedy: string | undefined;
  problem: string | undefined;
  /** Why no bridge may start here. */
  folder: string | undefined;
  dates: CheckVerdict;
  refreshing: CheckVerdict;
  budget: CheckVerdict;
  /** The own clients of apps that are in use, one further than are asked for. */
  ownClients: ClientInUse[];
}

/** For so many own clients the authorization server is asked. */
export const CLIENTS_ASKED = 50;

/** Reads the database once for all checks. */
export type InstanceLookup = () => Promise<InstanceState>;

async function readInstance(config: Config): Promise<InstanceState> {
  const { database, varDir } = config;
  const { present } = await readSchema(database);
  if (present === undefined) return 'none yet';
  return lookInContext(async ({ context }) => {
    const { instance, store } = context;
    return {
      why: instance.why(),
      remedy: instance.remedy(),
      problem: instance.findProblem() ?? findPlaceProblem(await store.place()),
      folder: await findFolderProblem(context, openEpochFile(epochFileOf(config), database), varDir),
      dates: await examineDates(context),
      refreshing: await examineRefreshing(context),
      budget: await examineBudget(context),
      ownClients: await listClientsInUse(store.durable, CLIENTS_ASKED + 1),
    };
  });
}

/** All checks share one reading of the database. */
export function findInstanceOnce(config: Config): InstanceLookup {
  let found: Promise<InstanceState> | undefined;
  return () => (found ??= readInstance(config).catch(() => 'unknown' as const));
}

const CLOSED = 'the database cannot be used, see the check database';

/** SQLite reads its whole file for this claim. PostgreSQL is only asked for the settings that decide over commits. */
const PROVEN = {
  sqlite: 'is whole',
  postgres: 'keeps its commits. Only its server can show whether its files are whole',
};

/** Whether a database exists, opens with these keys, and keeps the data that it commits. */
export async function checkDatabase(config: Config): Promise<CheckVerdict> {
  const { database } = config;
  const place = describeLocation(database);
  const lost = await findLostDatabase(epochFileOf(config), database);
  if (lost !== undefined) throw new Error(lost);
  if ((await readSchema(database)).present === undefined) {
    const reached = database.kind === 'postgres' ? `${place} is reached and holds` : `${place} holds`;
    return notLookedAt(
      `${reached} no database of the bridge yet. If the database is somewhere else, set DATABASE_URL or VAR_DIR to the values of the bridge. To make a new database: grantbridge migrate`,
    );
  }
  return lookInContext(async ({ context }) => {
    const problem = await context.store.findProblem();
    if (problem !== undefined) throw new Error(problem);
    return ok(`${place} opens with these keys and ${PROVEN[database.kind]}`);
  });
}

/** Whether this database is the original. Only the original may talk to the new API. */
export async function checkInstance(find: InstanceLookup): Promise<CheckVerdict> {
  const instance = await find();
  if (instance === 'none yet') return notLookedAt('there is no database yet');
  if (instance === 'unknown') return notLookedAt(CLOSED);
  const { why, remedy, problem, folder } = instance;
  if (folder !== undefined) throw failure(folder);
  if (why !== undefined)
    throw failure(
      `this database is a restored copy, and the bridge on it sends nothing to the new API: ${why}. ${remedy}`,
    );
  const original = 'this database is the original, and a bridge on it may talk to the new API';
  return problem === undefined ? ok(original) : warning(`${original}. ${problem}`);
}

/** One of the readings from an open database. */
export async function checkReading(
  find: InstanceLookup,
  reading: 'dates' | 'refreshing' | 'budget',
): Promise<CheckVerdict> {
  const instance = await find();
  if (instance === 'none yet') return notLookedAt('there is no database yet');
  return instance === 'unknown' ? notLookedAt(CLOSED) : instance[reading];
}

/** Why no request may go to other servers: a copy sends nothing, and a database that does not open may be a copy. */
export async function refusalToAsk(find: InstanceLookup): Promise<CheckVerdict | undefined> {
  const instance = await find();
  if (instance === 'none yet') return undefined;
  if (instance === 'unknown')
    return notLookedAt('the database could not be read and may be a restored copy, which sends nothing');
  return instance.why === undefined ? undefined : notLookedAt('a restored copy sends nothing');
}
