import {
  closeSync,
  existsSync,
  fsyncSync,
  lchownSync,
  linkSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';

/** Files and folders that only their owner may read. */

/**
 * A file that root makes for the bridge (an operator's command under sudo) gets the owner of the file that it replaces,
 * or else of its folder. Otherwise the bridge, which runs as another user, could not read the file.
 */
export function giveToOwner(path: string, replaced?: string): void {
  if (process.getuid?.() !== 0) return;
  const isThere = replaced !== undefined && existsSync(replaced);
  const { uid, gid } = statSync(isThere ? replaced : dirname(path));
  try {
    // Never follows a link: the folder may belong to another user.
    lchownSync(path, uid, gid);
  } catch {
    // Some places do not allow a change of owner: a network disk, a container's root.
  }
}

/** Another process may make the same folder at the same moment. */
function makeOne(path: string): void {
  try {
    // Not `recursive`: on a file system that takes no folders, such as /proc, Node tries for ever.
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}

/**
 * Makes a folder and its parents when they are missing.
 * @throws {Error} in plain words when the name belongs to a file
 */
export function makePrivateFolder(path: string): void {
  if (existsSync(path)) {
    if (!statSync(path).isDirectory()) throw new Error(`${path} is not a folder`);
    return;
  }
  makePrivateFolder(dirname(path));
  makeOne(path);
  giveToOwner(path);
}

/** Whether another process with this number runs. */
export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    // A draft with this process's own number was left by an earlier process.
    return pid !== process.pid;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/**
 * Removes drafts (files and folders) of killed processes: a draft holds the content of its file, and SQLite would take
 * a file beside a draft for a part of the draft. Where one draft cannot be removed, the others are removed all the same.
 * @throws the first error, after all others are removed
 */
export function removeAbandoned(path: string): void {
  const [folder, start] = [dirname(path), `${basename(path)}.`];
  const failures: unknown[] = [];
  for (const name of readdirSync(folder)) {
    const rest = name.startsWith(start) ? name.slice(start.length) : '';
    const pid = /^(\d+)\.draft(?:-wal|-shm|-journal)?$/.exec(rest)?.[1];
    if (pid === undefined || isRunning(Number(pid))) continue;
    try {
      rmSync(join(folder, name), { recursive: true, force: true });
    } catch (error) {
      failures.push(error);
    }
  }
  if (failures.length > 0) throw failures[0];
}

function writeDraft(path: string, text: string): string {
  removeAbandoned(path);
  const draft = `${path}.${process.pid}.draft`;
  try {
    writeFileSync(draft, text, { mode: 0o600, flag: 'w', flush: true });
    giveToOwner(draft, path);
  } catch (error) {
    rmSync(draft, { force: true });
    throw error;
  }
  return draft;
}

/** Flushes a file, or the names in a folder, to the disk. */
export function syncToDisk(path: string): void {
  const handle = openSync(path, 'r');
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}

/**
 * Writes a file that only its owner may read: whole or not at all, even across a power cut. Never overwrites a file,
 * because its content cannot be made a second time.
 * @throws {Error} with code EEXIST when the file exists
 */
export function createPrivateFile(path: string, text: string): void {
  makePrivateFolder(dirname(path));
  const draft = writeDraft(path, text);
  try {
    linkSync(draft, path);
  } finally {
    unlinkSync(draft);
  }
  syncToDisk(dirname(path));
}

/** Replaces a file by a file that only its owner may read: whole or not at all, even across a power cut. */
export function replacePrivateFile(path: string, text: string): void {
  const draft = writeDraft(path, text);
  try {
    renameSync(draft, path);
  } catch (error) {
    rmSync(draft, { force: true });
    throw error;
  }
  syncToDisk(dirname(path));
}
