import { readKeysPlace } from '../../../config/config.ts';
import { readSchema } from '../../../store/driver/schema/schema-state.ts';
import { makeKeysFile } from '../../../store/files/keys-file.ts';
import { type DatabaseLocation, describeLocation } from '../../../store/driver/open-store.ts';
import type { Result } from '../result.ts';

/** Undefined where the database cannot be asked: the first key file may be made before a server exists. */
async function isInUse(database: DatabaseLocation): Promise<boolean | undefined> {
  try {
    const { present } = await readSchema(database);
    return present !== undefined;
  } catch {
    return undefined;
  }
}

/** @throws {Error} where a database already exists: new keys would not open its sealed values */
function requireUnused(database: DatabaseLocation, isUsed: boolean | undefined): void {
  if (isUsed !== true) return;
  const place = describeLocation(database);
  throw new Error(
    `DATABASE_URL: there is a database of the bridge at ${place} already, and only the keys of this database open its values. Put the copy of its key file in place. No keys were made. Without a copy: docs/operate/keys.md, “When the key file is lost”`,
  );
}

function linesOf(file: string, isUsed: boolean | undefined): string[] {
  return [
    `New keys are in ${file}. Only the owner of the file may read them.`,
    ...(isUsed === undefined
      ? [
          'The database could not be read, and may have other keys already. With other keys every start is refused: then put the copy of the earlier key file in place.',
        ]
      : []),
    'Next:',
    '  1. Keep a copy of this file, apart from the database and its backups: without the keys nobody can read the sealed values of the bridge.',
    '  2. If the bridge runs on several machines: copy the file to each machine.',
    '  3. grantbridge migrate, then grantbridge doctor, then grantbridge serve',
  ];
}

/** `keys init`: the key file of a new bridge, before a database exists. Never replaces a file. */
export async function initKeys(): Promise<Result> {
  const { keysFile, database } = readKeysPlace();
  const isUsed = await isInUse(database);
  requireUnused(database, isUsed);
  makeKeysFile(keysFile);
  const json = { file: keysFile, databaseAsked: isUsed !== undefined };
  return { ok: true, lines: linesOf(keysFile, isUsed), json };
}
