import { closeSync, linkSync, openSync, renameSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { giveToOwner, removeAbandoned, syncToDisk } from '../../shared/private-file.ts';
import { cleanUpOnSignal, hearSignals } from './clean-up-on-signal.ts';
import { COMPANIONS } from './sqlite-copy.ts';

/** A file that is made under a temporary name and gets its name only when the file is whole. */

const PLAIN: Record<string, string> = {
  ENOENT: 'its folder does not exist',
  ENOTDIR: 'the path of its folder is not a folder',
  EEXIST: 'the file exists already and is not overwritten',
  EACCES: 'this user may not write to the folder',
  EROFS: 'the disk is read-only',
  ENOSPC: 'the disk is full',
  SQLITE_FULL: 'the disk is full',
};

/** The failure in words that an operator can act on. */
function inWords(target: string, error: unknown): unknown {
  const { code, message } = error as { code?: string; message: string };
  if (code === undefined) return error;
  return new Error(`${target} could not be written: ${PLAIN[code] ?? message}`, { cause: error });
}

const filesOf = (draft: string) => ['', ...COMPANIONS].map((suffix) => `${draft}${suffix}`);

const NO_LINKS = ['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK'];

/**
 * Gives a file a second, unused name.
 * @returns whether the file has both names; false when the file system refuses links
 * @throws {Error} with a code
 */
export function tryLink(path: string, name: string): boolean {
  try {
    linkSync(path, name);
    return true;
  } catch (error) {
    if (NO_LINKS.includes((error as NodeJS.ErrnoException).code ?? '')) return false;
    throw error;
  }
}

/** Puts the draft in place, but never over another file. */
function putNew(draft: string, target: string): void {
  if (tryLink(draft, target)) return;
  // The first process that makes the name owns the name, even where links are refused.
  closeSync(openSync(target, 'wx', 0o600));
  renameSync(draft, target);
}

export interface Draft<T> {
  /** Fills the file with the given name. */
  make: (draft: string) => Promise<T>;
  /** Gives the whole and synced draft its name. By default the name must be unused. */
  put?: (draft: string, target: string) => void;
}

const removeDraft = (draft: string) => {
  for (const file of filesOf(draft)) rmSync(file, { force: true });
};

/**
 * Lets `make` fill a draft beside `target` that only its owner may read, and gives the draft its name when the draft is
 * whole and synced. No failure leaves a draft behind, and no signal that a process can hear.
 * @throws {Error} in plain words
 */
export async function writeWhole<T>(target: string, { make, put = putNew }: Draft<T>): Promise<T> {
  const draft = `${target}.${process.pid}.draft`;
  const write = async () => {
    removeAbandoned(target);
    closeSync(openSync(draft, 'wx', 0o600));
    giveToOwner(draft, target);
    const made = await make(draft);
    syncToDisk(draft);
    // The last moment at which a person can break off: from here on nothing waits.
    await hearSignals();
    put(draft, target);
    syncToDisk(dirname(target));
    return made;
  };
  const writeAndTidy = async () => {
    try {
      return await write();
    } finally {
      removeDraft(draft);
    }
  };
  try {
    return await cleanUpOnSignal(() => removeDraft(draft), writeAndTidy);
  } catch (error) {
    // In a folder that this user may not enter, even the removal fails.
    throw inWords(target, error);
  }
}
