import { type ByteSource, bytePieces } from './pieces.ts';
import { openInput, requireText } from './readable.ts';
import { ImportRefused, namingFile } from '../refusals.ts';
import { spool } from './spool.ts';

/** A file that can be read from its start any number of times. */
export interface Source extends ByteSource {
  format: 'ndjson' | 'csv';
}

/** A pipe gives its bytes only once, so the bytes are stored for further readings. */
async function bytesOf(file: string, folder: string): Promise<ByteSource> {
  if (file === '-') return spool(process.stdin, folder);
  const handle = await openInput(file);
  const facts = await handle.stat();
  if (facts.isFile()) {
    const hasChanged = async () => {
      const { size, mtimeMs } = await handle.stat();
      return size !== facts.size || mtimeMs !== facts.mtimeMs;
    };
    return { size: facts.size, read: () => bytePieces(handle), hasChanged, close: () => handle.close() };
  }
  return spool(handle.createReadStream(), folder);
}

async function firstPiece(bytes: ByteSource): Promise<Buffer> {
  for await (const piece of bytes.read()) return piece;
  return Buffer.alloc(0);
}

/** Lines that end as on an old Macintosh would be read as one line. */
const hasCrEnds = (text: string) => !text.includes('\n') && text.trim().includes('\r');

function formatOf(start: Buffer): Source['format'] {
  requireText(start);
  const sign = start
    .toString('utf8')
    .replace(/^\u{FEFF}/u, '')
    .trimStart()[0];
  if (sign === undefined) throw new ImportRefused('is empty');
  if (hasCrEnds(start.toString('latin1')))
    throw new ImportRefused(
      'has line ends of CR alone; save it with line ends of LF, or of CR and LF, first',
    );
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
