import { type FileHandle, open } from 'node:fs/promises';
import { type ByteSource, bytePieces } from './pieces.ts';
import { ImportRefused, namingFile } from '../refusals.ts';
import { spool } from './spool.ts';

/** A file that can be read from its start any number of times. */
export interface Source extends ByteSource {
  format: 'ndjson' | 'csv';
}

const IN_WORDS: { [code: string]: string } = {
  ENOENT: 'does not exist',
  EACCES: 'may not be read by this user',
  EPERM: 'may not be read by this user',
  EISDIR: 'is a folder',
};

async function openFile(file: string): Promise<FileHandle> {
  return open(file, 'r').catch((cause: NodeJS.ErrnoException) => {
    throw new ImportRefused(`${file} ${IN_WORDS[cause.code ?? ''] ?? `cannot be read: ${cause.code}`}`, {
      cause,
    });
  });
}

/** A pipe gives its bytes only once, so the bytes are stored for further readings. */
async function bytesOf(file: string, folder: string): Promise<ByteSource> {
  if (file === '-') return spool(process.stdin, folder);
  const handle = await openFile(file);
  const facts = await handle.stat();
  if (facts.isFile()) {
    const hasChanged = async () => {
      const { size, mtimeMs } = await handle.stat();
      return size !== facts.size || mtimeMs !== facts.mtimeMs;
    };
    return { size: facts.size, read: () => bytePieces(handle), hasChanged, close: () => handle.close() };
  }
  if (facts.isDirectory()) {
    await handle.close();
    throw new ImportRefused(`${file} is a folder`);
  }
  return spool(handle.createReadStream(), folder);
}

const MAGIC: ReadonlyArray<readonly [start: string, problem: string]> = [
  ['\x1f\x8b', 'is packed with gzip; unpack it first'],
  ['PK\x03\x04', 'is a zip archive or a spreadsheet; unpack it, or export it as CSV, first'],
  ['BZh', 'is packed with bzip2; unpack it first'],
  ['\xfd7zXZ', 'is packed with xz; unpack it first'],
  ['\x28\xb5\x2f\xfd', 'is packed with zstd; unpack it first'],
  ['\xff\xfe', 'is UTF-16; save it as UTF-8 first'],
  ['\xfe\xff', 'is UTF-16; save it as UTF-8 first'],
];

async function firstPiece(bytes: ByteSource): Promise<Buffer> {
  for await (const piece of bytes.read()) return piece;
  return Buffer.alloc(0);
}

function formatOf(start: Buffer): Source['format'] {
  const magic = MAGIC.find(([bytes]) => start.toString('latin1', 0, 8).startsWith(bytes));
  if (magic) throw new ImportRefused(magic[1]);
  const sign = start
    .toString('utf8')
    .replace(/^\u{FEFF}/u, '')
    .trimStart()[0];
  if (sign === undefined) throw new ImportRefused('is empty');
  if (sign === '[')
    throw new ImportRefused('is one JSON list; write each of its objects on a line of its own');
  return sign === '{' ? 'ndjson' : 'csv';
}

/**
 * Opens the file to import; `-` is standard input. `folder` is a private folder, for input that can be read only once.
 * @throws {ImportRefused} in plain words, when the file holds nothing readable
 */
export async function openSource(file: string, folder: string): Promise<Source> {
  const name = file === '-' ? 'standard input' : file;
  const bytes = await bytesOf(file, folder);
  try {
    return { ...bytes, format: formatOf(await firstPiece(bytes)) };
  } catch (error) {
    await bytes.close();
    throw namingFile(error, name);
  }
}
