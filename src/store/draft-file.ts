import { closeSync, fsyncSync, linkSync, openSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { COMPANIONS } from './sqlite-copy.ts';

/** A database file that is made under another name and gets its own only when it is whole. */

function sync(path: string): void {
  const handle = openSync(path, 'r');
  fsyncSync(handle);
  closeSync(handle);
}

const PLAIN: Record<string, string> = {
  ENOENT: 'its folder does not exist',
  ENOTDIR: 'its folder is not one',
  EEXIST: 'there is a file already, and it is not overwritten',
  EACCES: 'this user may not write there',
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

/**
 * Lets `make` fill a draft beside `target`, which only its owner may read, and puts it there when it is whole and
 * synced, never over another file. Whatever fails, no draft is left.
 * @throws {Error} in plain words
 */
export async function writeWhole<T>(target: string, make: (draft: string) => Promise<T>): Promise<T> {
  const draft = `${target}.${process.pid}.draft`;
  try {
    closeSync(openSync(draft, 'w', 0o600));
    const made = await make(draft);
    sync(draft);
    linkSync(draft, target);
    sync(dirname(target));
    return made;
  } catch (error) {
    throw inWords(target, error);
  } finally {
    for (const suffix of ['', ...COMPANIONS]) rmSync(`${draft}${suffix}`, { force: true });
  }
}
