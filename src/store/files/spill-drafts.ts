import { open, readdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { SECOND } from '../../shared/lifetimes.ts';
import { isRunning } from '../../shared/private-file.ts';
import { SPILL_SUFFIX } from './spill-name.ts';

/**
 * How a pair comes into the spill: whole or not at all. A process that is killed may leave a draft, and the draft may hold the
 * only pair of its grant.
 */

/** The drafts that this process writes now. A draft with its number that is not among them was left by an earlier process. */
const underWay = new Set<string>();

async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

async function writeSynced(path: string, text: string): Promise<void> {
  const handle = await open(path, 'w', 0o600);
  try {
    await handle.writeFile(text);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Writes a file beside its target, syncs it, and then renames it. */
export async function writeByDraft(folder: string, name: string, text: string): Promise<void> {
  const draft = join(folder, `${name}.${process.pid}.draft`);
  underWay.add(draft);
  try {
    await writeSynced(draft, text);
    await rename(draft, join(folder, name));
  } finally {
    underWay.delete(draft);
  }
  await syncFolder(folder);
}

interface LeftDraft {
  draft: string;
  /** The name that the draft was to have. */
  name: string;
}

/** A process that runs has named its draft long before, unless its disk stands still. It writes anew what was taken from it. */
const NAMED_WITHIN = 30 * SECOND;

/**
 * Whether a process may still be about to name a draft. Its number alone does not tell for long: after a start of the machine
 * another process may have the number of the one that was killed.
 */
async function mayBeNamed(path: string, pid: number): Promise<boolean> {
  if (underWay.has(path)) return true;
  if (!isRunning(pid)) return false;
  const written = await stat(path).catch(() => undefined);
  return written !== undefined && Math.abs(Date.now() - written.mtimeMs) < NAMED_WITHIN;
}

/** The drafts of processes that no longer run. A living process renames its drafts itself. */
async function draftsLeftIn(folder: string): Promise<LeftDraft[]> {
  const left: LeftDraft[] = [];
  for (const draft of await readdir(folder)) {
    const [, name = '', pid] = /^(.+)\.(\d+)\.draft$/.exec(draft) ?? [];
    if (!name.endsWith(SPILL_SUFFIX)) continue;
    if (!(await mayBeNamed(join(folder, draft), Number(pid)))) left.push({ draft, name });
  }
  return left;
}

/** The beginning of a document is no document, so what parses was written to its end. */
function isWhole(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** Whether the whole text is in the file. Its writer may have been killed before it had the disk keep what it wrote. */
async function isKeptWhole(path: string): Promise<boolean> {
  const handle = await open(path, 'r+');
  try {
    if (!isWhole(await handle.readFile('utf8'))) return false;
    await handle.sync();
    return true;
  } finally {
    await handle.close();
  }
}

/** The name of a draft that could not be looked into or renamed; it may hold a pair. */
async function takeDraft(folder: string, { draft, name }: LeftDraft): Promise<string | undefined> {
  const path = join(folder, draft);
  try {
    if (await isKeptWhole(path)) await rename(path, join(folder, name));
    else await rm(path, { force: true });
    return undefined;
  } catch (error) {
    // Another process has just done the same.
    return (error as NodeJS.ErrnoException).code === 'ENOENT' ? undefined : draft;
  }
}

/**
 * Gives the whole drafts of killed processes their names, and removes the others, of which the pair never was on the disk.
 * Returns the names of those that it could not take.
 */
export async function takeLeftDrafts(folder: string): Promise<string[]> {
  const left = await draftsLeftIn(folder);
  if (left.length === 0) return [];
  const failed = await Promise.all(left.map((one) => takeDraft(folder, one)));
  await syncFolder(folder);
  return failed.filter((draft) => draft !== undefined);
}
