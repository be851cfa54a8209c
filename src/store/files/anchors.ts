import { createReadStream } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { dirname } from 'node:path';
import { createInterface } from 'node:readline';
import { giveToOwner, syncToDisk } from '../../shared/private-file.ts';

/** An append-only file of lines, shared by the processes of one machine. Each line survives a power cut. */

/** Longer than any line of this file. */
const TAIL_BYTES = 4096;

async function tailOf(handle: FileHandle): Promise<string> {
  const { size } = await handle.stat();
  const start = Math.max(size - TAIL_BYTES, 0);
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(size - start), 0, size - start, start);
  return buffer.toString('utf8', 0, bytesRead);
}

/** The last whole line; undefined when there is no line or no file. */
export async function readLastLine(file: string): Promise<string | undefined> {
  const handle = await open(file, 'r').catch((error: unknown) => {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  });
  if (!handle) return undefined;
  try {
    return (await tailOf(handle)).split('\n').slice(0, -1).at(-1);
  } finally {
    await handle.close();
  }
}

/** Appends a line. The line is on the disk when the promise resolves. Only the file's owner may read the file. */
export async function appendLine(file: string, line: string): Promise<void> {
  const handle = await open(file, 'a+', 0o600);
  let isNew = false;
  try {
    const tail = await tailOf(handle);
    isNew = tail === '';
    // A half-written line of a power cut must not spoil this line too.
    const separator = isNew || tail.endsWith('\n') ? '' : '\n';
    await handle.appendFile(`${separator}${line}\n`);
    await handle.sync();
  } finally {
    await handle.close();
  }
  if (!isNew) return;
  giveToOwner(file);
  syncToDisk(dirname(file));
}

/** Every line of a file. */
export async function* readLines(file: string): AsyncGenerator<string> {
  yield* createInterface({ input: createReadStream(file, 'utf8'), crlfDelay: Number.POSITIVE_INFINITY });
}
