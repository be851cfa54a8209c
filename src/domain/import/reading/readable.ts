import { type FileHandle, open } from 'node:fs/promises';
import { ImportRefused } from '../refusals.ts';

const IN_WORDS: { [code: string]: string } = {
  ENOENT: 'does not exist',
  EACCES: 'may not be read by this user',
  EPERM: 'may not be read by this user',
  EISDIR: 'is a folder',
};

/** What keeps a file from being opened or read, to be said after the name of the file. */
export const wordsOfFileError = (code = 'no code'): string => IN_WORDS[code] ?? `cannot be read: ${code}`;

/**
 * Opens a file or a pipe by its path.
 * @throws {ImportRefused} in plain words, with the name of the file
 */
export async function openInput(file: string): Promise<FileHandle> {
  const handle = await open(file, 'r').catch((cause: NodeJS.ErrnoException) => {
    throw new ImportRefused(`${file} ${wordsOfFileError(cause.code)}`, { cause });
  });
  if (!(await handle.stat()).isDirectory()) return handle;
  await handle.close();
  throw new ImportRefused(`${file} is a folder`);
}

/** The longest start of a file that tells what the file is. */
const START = 8;

const MAGIC: ReadonlyArray<readonly [start: string, problem: string]> = [
  ['\x1f\x8b', 'is packed with gzip; unpack it first'],
  ['PK\x03\x04', 'is a zip archive or a spreadsheet; unpack it, or export it as CSV, first'],
  ['BZh', 'is packed with bzip2; unpack it first'],
  ['\xfd7zXZ', 'is packed with xz; unpack it first'],
  ['\x28\xb5\x2f\xfd', 'is packed with zstd; unpack it first'],
  ['\xff\xfe', 'is UTF-16; save it as UTF-8 first'],
  ['\xfe\xff', 'is UTF-16; save it as UTF-8 first'],
];

/** @throws {ImportRefused} the first bytes are not those of a text in UTF-8 */
export function requireText(bytes: Buffer): void {
  const start = bytes.toString('latin1', 0, START);
  const magic = MAGIC.find(([sign]) => start.startsWith(sign));
  if (magic) throw new ImportRefused(magic[1]);
  if (start.includes('\0')) throw new ImportRefused('is no text in UTF-8; save it as UTF-8 first');
}

/**
 * The same bytes, given on only once their start is that of a text.
 * @throws {ImportRefused} the first bytes are not those of a text in UTF-8
 */
export async function* textBytes(input: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  // A pipe may give its first bytes one by one.
  let start: Buffer = Buffer.alloc(0);
  for await (const piece of input) {
    const isKnown = start.length >= START;
    if (isKnown) yield piece;
    else {
      start = Buffer.concat([start, piece]);
      if (start.length < START) continue;
      requireText(start);
      yield start;
    }
  }
  if (start.length >= START) return;
  requireText(start);
  yield start;
}
