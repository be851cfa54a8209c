import type { EpochFile } from '../../store/files/epoch-file.ts';
import type { Store } from '../../store/driver/store.ts';
import type { InstanceDeps } from './deps.ts';
import { findOtherDatabase, FOREIGN_FOLDER_REMEDY, foreignFolderWords } from './other-database.ts';
import { isSameDatabase } from './same-database.ts';

/** Whether the file is about a database with another name than the present database. */
async function isAboutAnother(file: EpochFile, store: Store): Promise<boolean> {
  const name = file.read()?.database;
  return name !== undefined && !isSameDatabase(name, file.nameOf(await store.place()));
}

/**
 * Why no bridge may start on this database with this VAR_DIR, in words; undefined where one may.
 *
 * A bridge makes VAR_DIR remember the original that the bridge serves. A drill copy after a take-over is an original
 * too: started with the VAR_DIR of a production, the drill would turn the production bridge into a silent copy. The
 * other way round, a production that was started with the VAR_DIR of a drill would count as older than the drill, and
 * be marked as a copy for all its bridges. A copy that shows itself to be one may start: it is silent, and makes VAR_DIR
 * remember nothing.
 */
export async function findFolderProblem(
  { instance, store }: Pick<InstanceDeps, 'instance' | 'store'>,
  file: EpochFile,
  varDir: string,
): Promise<string | undefined> {
  const other = await findOtherDatabase(file, store);
  if (instance.isOnlyOlder() && (await isAboutAnother(file, store)))
    return `VAR_DIR: ${varDir} remembers another database, and a later state than this one has. A start would mark this one as a copy for every bridge on it. Set the VAR_DIR of this one. If this one is an older copy that is to serve: grantbridge restore --take-over${other === undefined ? '' : ' --replace-original'}`;
  if (other === undefined || instance.isCopy()) return undefined;
  return `${foreignFolderWords(varDir, other)}. After this start, the bridge on the other database would become a silent copy at its next start. ${FOREIGN_FOLDER_REMEDY}`;
}
