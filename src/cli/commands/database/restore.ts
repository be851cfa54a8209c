import { dirname, resolve } from 'node:path';
import { type Config, readConfig } from '../../../config/config.ts';
import type { Context } from '../../../domain/context.ts';
import {
  findOtherDatabase,
  FOREIGN_FOLDER_REMEDY,
  foreignFolderWords,
} from '../../../domain/instance/other-database.ts';
import { takeOverRemedy } from '../../../domain/instance/copy-remedy.ts';
import { findKeyProblems } from '../../../domain/keys/usable-keys.ts';
import { takeOver } from '../../../domain/instance/take-over.ts';
import { makePrivateFolder } from '../../../shared/private-file.ts';
import { openEpochFile } from '../../../store/files/epoch-file.ts';
import { loadKeys } from '../../../store/files/keys-file.ts';
import type { CopySummary } from '../../../store/files/sqlite-copy.ts';
import { restoreFile } from '../../../store/files/sqlite-restore.ts';
import type { Store } from '../../../store/driver/store.ts';
import { epochFileOf } from '../../../app/open-context.ts';
import { createProgressReport } from '../../terminal/progress.ts';
import { copyProgress } from './copy-progress.ts';
import { POSTGRES_RESTORE } from './postgres-copies.ts';
import type { Result } from '../result.ts';
import { withContext } from '../with-context.ts';
import { WrongUsage } from '../wrong-usage.ts';

const IS_COPY = 'The restored database is a copy: a bridge on the copy sends nothing to the new API.';

/** What the operator does next. A restored file may lie beside the database that VAR_DIR belongs to. */
async function nextAfter(config: Config): Promise<string> {
  const file = openEpochFile(epochFileOf(config), config.database);
  return takeOverRemedy((await findOtherDatabase(file)) !== undefined);
}

function requireKeys({ keysFile }: Config, { keys }: CopySummary): void {
  const problems = findKeyProblems(keys, loadKeys(keysFile));
  if (problems.length > 0) throw new Error(`KEYS_FILE: ${problems.join('; ')}. Nothing was changed.`);
}

/** Puts the backup in the place of the configured database. */
async function putBack(config: Config, given: string): Promise<Result> {
  const { database } = config;
  if (database.kind === 'postgres') return POSTGRES_RESTORE;
  const file = resolve(given);
  // Before the first change, because a folder whose facts cannot be read is an error.
  const next = await nextAfter(config);
  makePrivateFolder(dirname(database.file));
  const progress = copyProgress();
  const check = (facts: CopySummary) => requireKeys(config, facts);
  const restored = await restoreFile(file, database.file, { check, progress }).finally(() => progress.end());
  const { grants, mappings, schema, epoch, setAside } = restored;
  const lines = [
    `${file} was restored to ${database.file}: schema ${schema}, epoch ${epoch}, ${grants} grants, ${mappings} tokens.`,
    ...setAside.map((name) => `The earlier file is kept as ${name}`),
  ];
  const json = { file, database: database.file, grants, mappings, schema, epoch, setAside };
  return {
    ok: true,
    lines: [...lines, `${IS_COPY} ${next}`],
    json: { ...json, state: 'copy', next, changed: true },
  };
}

/** `store` may be left out for a SQLite file: the place of the file is known before the database is opened. */
async function refuseForeignFolder(config: Config, store?: Store): Promise<Result | undefined> {
  const other = await findOtherDatabase(openEpochFile(epochFileOf(config), config.database), store);
  if (other === undefined) return undefined;
  const words = foreignFolderWords(config.varDir, other);
  const refused = `${words}. A take-over would make the bridge on that other database a silent copy at its next start. ${FOREIGN_FOLDER_REMEDY}. Nothing was changed.`;
  return refusedOf(refused);
}

const refusedOf = (refused: string): Result => ({ ok: false, lines: [refused], json: { refused } });

function originalAlready({ instance }: Context): Result {
  const words = 'This database is the original already. Nothing was changed.';
  const json = { state: 'original', grants: 0, epoch: instance.seen().epoch, changed: false };
  return { ok: true, lines: [words], json };
}

/** A line where the machine could not store that VAR_DIR belongs to this database now. */
function unstoredLine({ varDir }: Config, { instance }: Context): string | undefined {
  const problem = instance.findProblem();
  if (problem === undefined) return undefined;
  return `${problem}. VAR_DIR (${varDir}) does not belong to this database yet, and the bridge does not start on this database. Give the folder and all files in it to the user that runs this command. Then run restore --take-over --replace-original.`;
}

/**
 * For an original that was moved, or that was taken over on another machine: the database does not change, and from now
 * on VAR_DIR belongs to the database.
 */
async function makeItsOwn(config: Config, context: Context): Promise<Result> {
  const file = openEpochFile(epochFileOf(config), config.database);
  if ((await findOtherDatabase(file, context.store)) === undefined) return originalAlready(context);
  await context.instance.adopt();
  const unstored = unstoredLine(config, context);
  if (unstored !== undefined) return refusedOf(`Nothing was changed: ${unstored}`);
  const line = `This database is the original already. The database was not changed. From now on VAR_DIR (${config.varDir}) belongs to this database.`;
  const json = { state: 'original', grants: 0, epoch: context.instance.seen().epoch, changed: true };
  return { ok: true, lines: [line], json: { ...json, isAdopted: true } };
}

/** Makes the configured database the original. */
async function beginAnew(config: Config, mayReplace: boolean): Promise<Result> {
  return withContext(async ({ context }) => {
    const foreign = mayReplace ? undefined : await refuseForeignFolder(config, context.store);
    if (foreign) return foreign;
    const report = createProgressReport(false);
    const grants = await takeOver(context, (done, total) =>
      report.tell({ done, total, things: done, words: `${done} of ${total} grants in doubt` }),
    ).finally(() => report.end());
    if (grants === undefined) return mayReplace ? makeItsOwn(config, context) : originalAlready(context);
    const { epoch } = context.instance.seen();
    const lines = [
      `The copy was taken over and is the original now, with epoch ${epoch}.`,
      `Grants in doubt: ${grants}. Each grant keeps working with its access token. The bridge checks each grant before it refreshes the grant.`,
    ];
    const unstored = unstoredLine(config, context);
    const json = { state: 'original', grants, epoch, changed: true, ...(unstored && { problem: unstored }) };
    return { ok: unstored === undefined, lines: unstored ? [...lines, unstored] : lines, json };
  });
}

/** Checks first that VAR_DIR belongs to this database, before anything is replaced. */
async function putBackAndBegin(config: Config, file: string, mayReplace: boolean): Promise<Result> {
  const isAsked = !mayReplace && config.database.kind === 'sqlite';
  const foreign = isAsked ? await refuseForeignFolder(config) : undefined;
  if (foreign) return foreign;
  const restored = await putBack(config, file);
  if (!restored.ok) return restored;
  // The database has been replaced already, which the operator has to know whatever comes after it.
  const taken = await beginAnew(config, mayReplace).catch((error: Error) => refusedOf(error.message));
  if (taken.json['state'] !== 'original')
    return {
      ...restored,
      ok: false,
      lines: [...restored.lines, ...taken.lines],
      json: { ...taken.json, ...restored.json },
    };
  const lines = [...restored.lines.filter((line) => !line.startsWith(IS_COPY)), ...taken.lines];
  return { ok: taken.ok, lines, json: { ...restored.json, next: null, ...taken.json, changed: true } };
}

/**
 * `restore [FILE] [--take-over] [--replace-original]`: puts a backup in the place of the database, as a silent copy.
 * With `--take-over` a copy becomes the original; by this option the operator confirms that the other original is
 * stopped.
 */
export async function restore(
  options: Record<string, unknown>,
  [file]: readonly (string | undefined)[],
): Promise<Result> {
  const [isTakenOver, mayReplace] = ['takeOver', 'replaceOriginal'].map((name) => options[name] === true);
  if (mayReplace && !isTakenOver)
    throw new WrongUsage('--replace-original: use this option only together with --take-over');
  if (file === undefined && !isTakenOver)
    throw new WrongUsage('name a backup to restore, or use --take-over, or both');
  const config = readConfig();
  if (file === undefined) return beginAnew(config, mayReplace === true);
  return isTakenOver ? putBackAndBegin(config, file, mayReplace === true) : putBack(config, file);
}
