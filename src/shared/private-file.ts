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
 * What root makes for the bridge (an operator's command under sudo) belongs to the owner of the file that it replaces,
 * else of its folder: the bridge, which runs as another user, could not read it otherwise.
 */
export function giveToOwner(path: string, replaced?: string): void {
  if (process.getuid?.() !== 0) return;
  const isThere = replaced !== undefined && existsSync(replaced);
  const { uid, gid } = statSync(isThere ? replaced : dirname(path));
  try {
    // Never through a link: the folder may be another user's.
    lchownSync(path, uid, gid);
  } catch {
    // Owners cannot be given everywhere: a network disk, a container's root.
  }
}

/** Another process may make the same folder at the same moment. */
function makeOne(path: string): void {
  try {
    // Not `recursive`: Node tries for ever where a file system takes no folders, such as /proc.
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}

/**
 * Makes a folder, and those above it, where they are not there.
 * @throws {Error} in plain words where something else has the name
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

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    // One of this process's own number is of an earlier one.
    return pid !== process.pid;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/**
 * Removes drafts, files and folders, of processes that were killed: they hold what the file holds, and SQLite would take
 * what lies beside one for a part of it.
 */
export function removeAbandoned(path: string): void {
  const [folder, start] = [dirname(path), `${basename(path)}.`];
  for (const name of readdirSync(folder)) {
    const rest = name.startsWith(start) ? name.slice(start.length) : '';
    const pid = /^(\d+)\.draft(?:-wal|-shm|-journal)?$/.exec(rest)?.[1];
    if (pid !== undefined && !isRunning(Number(pid)))
      rmSync(join(folder, name), { recursive: true, force: true });
  }
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

/** Brings a file, or the names in a folder, to the disk. */
export function syncToDisk(path: string): void {
  const handle = openSync(path, 'r');
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}

/**
 * Writes a file that only its owner may read, whole or not at all, also over a power cut, and never over an existing
 * one: what it holds cannot be made a second time.
 * @throws {Error} with code EEXIST when the file is there already
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

/** Puts a file that only its owner may read in the place of another, whole or not at all, also over a power cut. */
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
