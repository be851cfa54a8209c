import { createCsvReader } from './csv.ts';
import { LineSplitter } from './lines.ts';
import { parseNdjson } from './ndjson.ts';
import type { ImportEntry, EntryReader } from './reader.ts';
import type { RowRefusal } from '../refusals.ts';
import type { Source } from './source.ts';

const ndjsonReader: EntryReader = {
  read: (line) => ('text' in line ? parseNdjson(line) : [line]),
  end: () => [],
};

/** The entries of a part of the file, and how many bytes of the file were read so far. */
interface FilePart {
  entries: Array<ImportEntry | RowRefusal>;
  bytes: number;
}

/** All entries of a source, in their order. */
export async function* partsOf(source: Source): AsyncGenerator<FilePart> {
  const splitter = new LineSplitter();
  const reader = source.format === 'ndjson' ? ndjsonReader : createCsvReader();
  let bytes = 0;
  for await (const piece of source.read()) {
    bytes += piece.length;
    yield { entries: splitter.push(piece).flatMap((line) => reader.read(line)), bytes };
  }
  const last = splitter.end().flatMap((line) => reader.read(line));
  yield { entries: [...last, ...reader.end()], bytes };
}
