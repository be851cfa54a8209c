import { existsSync, readFileSync, realpathSync } from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { z } from 'zod';
import { replacePrivateFile } from '../../shared/private-file.ts';
import { readSchema } from '../driver/schema-state.ts';
import type { SeenInstance } from '../instance/instance.ts';
import { type DatabaseLocation, describeLocation, isMissing } from '../driver/open-store.ts';

/** What the file says. */
export interface RememberedInstance extends SeenInstance {
  /**
   * Which of the databases with this id: a copy has the id of its original. `sqlite:FILE`, from the folder of the epoch
   * file, so that both may be moved together, or `postgres:` and the place (`Store.place`). Undefined where an older
   * version wrote the file.
   */
  database?: string | undefined;
}

/**
 * What a machine remembers of its database: `VAR_DIR/epoch.json`, `{"instance": id, "epoch": n, "database": where}`. It
 * never says more than the database has committed, so only a database that is older than it was is behind it.
 */
export interface EpochFile {
  /**
   * Undefined where nothing was ever kept.
   * @throws {Error} in plain words when it is there and cannot be read
   */
  read(): RememberedInstance | undefined;
  /** Replaces it whole; synced when it returns. */
  write(seen: RememberedInstance): void;
  /** The name of the present database, as the file keeps it; `place` is what the store says of it. */
  nameOf(place: string): string;
  /** The SQLite file that a name stands for; undefined where it is not there. */
  findFile(name: string): string | undefined;
}

const content = z.object({
  instance: z.string().min(1),
  epoch: z.int().min(0),
  database: z.string().min(1).optional(),
});

const SQLITE = 'sqlite:';
const POSTGRES = 'postgres:';

/** Links on the way are followed: two names of one file are one database. */
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
      `VAR_DIR: this user may not read ${path}: give it, and what else lies there, to the user that the bridge runs as`,
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

/** The file of this machine beside the database at `location`; nothing is made before the first `write`. */
export function openEpochFile(path: string, location: DatabaseLocation): EpochFile {
  const folder = dirname(realFile(path));
  return {
    nameOf: (place) =>
      location.kind === 'sqlite'
        ? `${SQLITE}${relative(folder, realFile(location.file))}`
        : `${POSTGRES}${place}`,
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
        `VAR_DIR: ${path} cannot be read. It shows whether the database is an older copy: put it back as it was or, only if the database is surely the newest one, remove it`,
      );
    },
    write: ({ id, epoch, database }) =>
      replacePrivateFile(path, `${JSON.stringify({ instance: id, epoch, database })}\n`),
  };
}

/** Whether there is no database of the bridge at the place; a PostgreSQL database that is empty is none. */
async function isNoneThere(location: DatabaseLocation): Promise<boolean> {
  return location.kind === 'sqlite'
    ? isMissing(location)
    : (await readSchema(location)).present === undefined;
}

/**
 * Why a new database must not be begun: the machine remembers one, and here is none. It was moved, lost, taken away by a
 * restore that was cut short, or not read in yet; a bridge on a new one would refuse every token.
 * @returns a line in plain words; undefined where nothing is missing
 */
export async function findLostDatabase(
  path: string,
  location: DatabaseLocation,
): Promise<string | undefined> {
  // Read first: another first start on this machine makes the database before it remembers it.
  const remembered = openEpochFile(path, location).read();
  if (remembered === undefined || !(await isNoneThere(location))) return undefined;
  return `DATABASE_URL: there is no database of the bridge at ${describeLocation(location)}, and ${path} remembers one: correct the address, restore that database, or remove the file to begin anew`;
}
