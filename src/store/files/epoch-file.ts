import { existsSync, readFileSync, realpathSync } from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { z } from 'zod';
import { replacePrivateFile } from '../../shared/private-file.ts';
import { readSchema } from '../driver/schema/schema-state.ts';
import type { SeenInstance } from '../instance/instance.ts';
import { type DatabaseLocation, describeLocation, isMissing } from '../driver/open-store.ts';

/** The content of the file. */
export interface RememberedInstance extends SeenInstance {
  /**
   * Distinguishes the databases with this id, because a copy has the id of its original. `sqlite:FILE`, relative to the
   * folder of the epoch file, so that both may be moved together, or `postgres:` and the place (`Store.place`).
   * Undefined when an older version wrote the file.
   */
  database?: string | undefined;
}

/**
 * A machine's memory of its database: `VAR_DIR/epoch.json`, `{"instance": id, "epoch": n, "database": where}`. The file
 * never gets ahead of the committed epoch, so a database behind the file is an older one.
 */
export interface EpochFile {
  /**
   * Undefined when the file does not exist.
   * @throws {Error} in plain words when the file exists and cannot be read
   */
  read(): RememberedInstance | undefined;
  /** Replaces the whole file. The file is synced on return. */
  write(seen: RememberedInstance): void;
  /** The name of the present database, as the file keeps the name. `place` comes from `Store.place`. */
  nameOf(place: string): string;
  /** The present database, named alike from every folder. `place` comes from `Store.place`. */
  addressOf(place: string): string;
  /** The SQLite file behind a name; undefined when the file is missing. */
  findFile(name: string): string | undefined;
}

const content = z.object({
  instance: z.string().min(1),
  epoch: z.int().min(0),
  database: z.string().min(1).optional(),
});

const SQLITE = 'sqlite:';
const POSTGRES = 'postgres:';

/** Follows links in the path, because two names of one file are one database. */
function realFile(file: string): string {
  const folder = dirname(file);
  return existsSync(folder) ? join(realpathSync(folder), basename(file)) : file;
}

function readText(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return undefined;
    if (code !== 'EACCES' && code !== 'EPERM') throw error;
    throw new Error(
      `VAR_DIR: this user may not read ${path}: give the folder and all files in it to the user that runs the bridge`,
      { cause: error },
    );
  }
}

function parse(text: string): z.infer<typeof content> | undefined {
  try {
    return content.parse(JSON.parse(text));
  } catch {
    return undefined;
  }
}

/** The epoch file of this machine for the database at `location`. No file is made before the first `write`. */
export function openEpochFile(path: string, location: DatabaseLocation): EpochFile {
  const folder = dirname(realFile(path));
  // Found at once: the address is asked for when the volume of the database may be away.
  const address = location.kind === 'sqlite' ? `${SQLITE}${realFile(resolve(location.file))}` : undefined;
  return {
    nameOf: (place) =>
      location.kind === 'sqlite'
        ? `${SQLITE}${relative(folder, realFile(location.file))}`
        : `${POSTGRES}${place}`,
    addressOf: (place) => address ?? `${POSTGRES}${place}`,
    findFile(name) {
      const file = resolve(folder, name.slice(SQLITE.length));
      return existsSync(file) ? file : undefined;
    },
    read() {
      const text = readText(path);
      if (text === undefined) return undefined;
      const kept = parse(text);
      if (kept) return { id: kept.instance, epoch: kept.epoch, database: kept.database };
      throw new Error(
        `VAR_DIR: ${path} cannot be read. The file shows whether the database is an older copy. Put the file back as it was. Remove the file only if the database is surely the newest one`,
      );
    },
    write: ({ id, epoch, database }) =>
      replacePrivateFile(path, `${JSON.stringify({ instance: id, epoch, database })}\n`),
  };
}

/** Whether the place has no database of the bridge. An empty PostgreSQL database counts as none. */
async function isNoneThere(location: DatabaseLocation): Promise<boolean> {
  return location.kind === 'sqlite'
    ? isMissing(location)
    : (await readSchema(location)).present === undefined;
}

/**
 * Why a new database must not be begun: the machine remembers a database, and there is none here. The database was
 * moved, lost, removed by an interrupted restore, or not yet read in. A bridge on a new database would refuse every
 * token.
 * @returns a line in plain words; undefined when no database is missing
 */
export async function findLostDatabase(
  path: string,
  location: DatabaseLocation,
): Promise<string | undefined> {
  // Read the file first: another first start on this machine makes the database before it writes the file.
  const remembered = openEpochFile(path, location).read();
  if (remembered === undefined || !(await isNoneThere(location))) return undefined;
  return `DATABASE_URL: there is no database of the bridge at ${describeLocation(location)}, but ${path} remembers a database. Correct the address, or restore that database. To begin with an empty database, remove the file`;
}
