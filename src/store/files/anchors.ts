import { createReadStream } from 'node:fs';
import { type FileHandle, open, realpath, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { createInterface } from 'node:readline';
import { giveToOwner, replacePrivateFile, syncToDisk } from '../../shared/private-file.ts';

/**
 * A file of lines that the processes of one machine append to, and that one of them shortens now and then. Each line
 * survives a power cut.
 */

/** Longer than any line of this file. */
const TAIL_BYTES = 4096;

const NEWLINE = 0x0a;

async function readFrom(handle: FileHandle, start: number, size: number): Promise<Buffer> {
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(size - start), 0, size - start, start);
  return buffer.subarray(0, bytesRead);
}

/** The end of the file, and where in the file it begins. */
async function tailOf(handle: FileHandle): Promise<{ tail: Buffer; start: number }> {
  const { size } = await handle.stat();
  const start = Math.max(size - TAIL_BYTES, 0);
  return { tail: await readFrom(handle, start, size), start };
}

const openIfThere = (file: string) =>
  open(file, 'r').catch((error: unknown) => {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  });

/** The last whole line; undefined when there is no line or no file. */
export async function readLastLine(file: string): Promise<string | undefined> {
  const handle = await openIfThere(file);
  if (!handle) return undefined;
  try {
    return (await tailOf(handle)).tail.toString('utf8').split('\n').slice(0, -1).at(-1);
  } finally {
    await handle.close();
  }
}

const numberOf = async (file: string) => (await stat(file).catch(() => undefined))?.ino;

/** Appends a line. Whether the file was still the one of this name when the line was on the disk. */
async function appendOnce(file: string, line: string): Promise<boolean> {
  const handle = await open(file, 'a+', 0o600);
  let [isNew, isCurrent] = [false, false];
  try {
    const { tail } = await tailOf(handle);
    isNew = tail.length === 0;
    // A half-written line of a power cut must not spoil this line too.
    const separator = isNew || tail.at(-1) === NEWLINE ? '' : '\n';
    await handle.appendFile(`${separator}${line}\n`);
    await handle.sync();
    // Compared while the file is open: once it is closed, its number may go to the next file.
    isCurrent = (await numberOf(file)) === (await handle.stat()).ino;
  } finally {
    await handle.close();
  }
  if (isNew) {
    giveToOwner(file);
    syncToDisk(dirname(file));
  }
  return isCurrent;
}

/** More exchanges than come in a row. On a file system without stable numbers of files no round would be the last. */
const APPENDED_AT_MOST = 5;

/** Appends a line. The line is on the disk when the promise resolves. Only the file's owner may read the file. */
export async function appendLine(file: string, line: string): Promise<void> {
  // Another process may have put a shorter file in its place meanwhile (`rewriteLines`). A line that stands in it twice
  // does no harm.
  for (let round = 0; round < APPENDED_AT_MOST; round += 1) if (await appendOnce(file, line)) return;
}

/** Every line of a file. */
export async function* readLines(file: string): AsyncGenerator<string> {
  yield* createInterface({ input: createReadStream(file, 'utf8'), crlfDelay: Number.POSITIVE_INFINITY });
}

/** Where the last whole line ends; 0 where there is none. */
async function endOfLines(handle: FileHandle): Promise<number> {
  const { tail, start } = await tailOf(handle);
  const last = tail.lastIndexOf(NEWLINE);
  return last < 0 ? 0 : start + last + 1;
}

/** The whole lines from a place to the end, and where they end. */
async function linesFrom(handle: FileHandle, start: number): Promise<{ rest: Buffer; end: number }> {
  const end = Math.max(await endOfLines(handle), start);
  return { rest: await readFrom(handle, start, end), end };
}

async function appendRest(handle: FileHandle, start: number, file: string): Promise<void> {
  const { size } = await handle.stat();
  if (size <= start) return;
  const shorter = await open(file, 'a');
  try {
    await shorter.appendFile(await readFrom(handle, start, size));
    await shorter.sync();
  } finally {
    await shorter.close();
  }
}

/**
 * Puts the lines that `choose` returns in the place of those that it gets; undefined leaves the file as it is. No line is
 * lost that others append meanwhile: up to the exchange they stand in the earlier file, whose rest is taken over, and
 * after it `appendLine` sees that the file is another one. A symbolic link stays, and leads to the shorter file.
 */
export async function rewriteLines(
  file: string,
  choose: (lines: AsyncIterable<string>) => Promise<readonly string[] | undefined>,
): Promise<void> {
  const handle = await openIfThere(file);
  if (!handle) return;
  try {
    const start = await endOfLines(handle);
    if (start === 0) return;
    const input = createReadStream(file, { encoding: 'utf8', end: start - 1 });
    const lines = createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY });
    const chosen = await choose(lines).finally(() => input.destroy());
    if (!chosen) return;
    const { rest, end } = await linesFrom(handle, start);
    // The operator may have moved the file away, or another process exchanged it.
    const target = await realpath(file).catch(() => undefined);
    if (target === undefined || (await numberOf(target)) !== (await handle.stat()).ino) return;
    replacePrivateFile(target, `${chosen.map((line) => `${line}\n`).join('')}${rest.toString('utf8')}`);
    await appendRest(handle, end, file);
  } finally {
    await handle.close();
  }
}
