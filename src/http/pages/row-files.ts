import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Response } from 'express';
import { FILE_LEFT_AFTER } from '../../shared/lifetimes.ts';
import { csvLine } from './csv.ts';

/** Files of rows to take away, as CSV or JSON. The rows are sent while they are read: a file may be long. */

export type FileForm = 'csv' | 'json';

/** One row, by the names of its columns. What is not known is undefined. */
export type FileRow = Readonly<Record<string, string | number | undefined>>;

export interface RowFile {
  /** The name of the file, without its ending. */
  name: string;
  columns: readonly string[];
  /** What the JSON says before its rows. */
  head: Readonly<Record<string, unknown>>;
  rows: AsyncIterable<FileRow>;
  /** Asked before each piece that is sent: whether the reader may still have it. A file that may not go on is cut. */
  mayGoOn?: () => Promise<boolean>;
  /** A reader that takes nothing for so many milliseconds is left. */
  leftAfter?: number;
}

async function* csvOf({ columns, rows }: RowFile): AsyncGenerator<string> {
  yield csvLine(columns);
  for await (const row of rows) yield csvLine(columns.map((name) => row[name] ?? ''));
}

/** A row as JSON has it: what is not known is null. */
export const withNulls = (columns: readonly string[], row: FileRow): Record<string, string | number | null> =>
  Object.fromEntries(columns.map((name) => [name, row[name] ?? null]));

/** JSON with one row on each line. */
async function* jsonOf({ head, columns, rows }: RowFile): AsyncGenerator<string> {
  yield `${JSON.stringify({ ...head, columns }).slice(0, -1)},"rows":[`;
  let separator = '\n';
  for await (const row of rows) {
    yield `${separator}${JSON.stringify(withNulls(columns, row))}`;
    separator = ',\n';
  }
  yield '\n]}\n';
}

/** About how many characters are sent at once. */
const PIECE = 32_768;

async function* inPieces(texts: AsyncIterable<string>): AsyncGenerator<string> {
  let piece = '';
  for await (const text of texts) {
    piece += text;
    if (piece.length < PIECE) continue;
    yield piece;
    piece = '';
  }
  yield piece;
}

/**
 * Cuts the answer off where the reader takes nothing of it for so long. What the reader sends is no sign that it reads,
 * so the timeout of the socket does not serve. While the rows are read, nothing waits for the reader.
 */
function leaveStalled(res: Response, after: number): NodeJS.Timeout {
  const patience = setTimeout(() => {
    if (res.writableNeedDrain || res.writableEnded) res.destroy();
    else patience.refresh();
  }, after);
  res.on('drain', () => patience.refresh());
  return patience;
}

/** Cuts the answer off where the reader may not have the next piece: a file that is cut is seen to be broken. */
async function* whileAllowed(
  res: Response,
  { mayGoOn }: RowFile,
  pieces: AsyncIterable<string>,
): AsyncGenerator<string> {
  for await (const piece of pieces) {
    if (mayGoOn && !(await mayGoOn())) return void res.destroy();
    yield piece;
  }
}

/** The reader has its whole time for each piece, and for what is left at the end. */
async function* withPatience(
  patience: NodeJS.Timeout,
  pieces: AsyncIterable<string>,
): AsyncGenerator<string> {
  for await (const piece of pieces) {
    patience.refresh();
    yield piece;
  }
  patience.refresh();
}

/** The reader left, or was left. */
const isCutOff = (error: unknown) =>
  error instanceof Error && 'code' in error && error.code === 'ERR_STREAM_PREMATURE_CLOSE';

const TYPES = { csv: 'text/csv; charset=utf-8; header=present', json: 'application/json; charset=utf-8' };

/**
 * Sends a file. A reader who takes it slowly slows the reading of the rows down. One who takes next to nothing for five
 * minutes is left: what it holds is free for others.
 */
export async function sendRowFile(res: Response, form: FileForm, file: RowFile): Promise<void> {
  res.setHeader('Content-Type', TYPES[form]);
  res.setHeader('Cache-Control', 'private, no-store');
  res.setHeader('Content-Disposition', `attachment; filename="${file.name}.${form}"`);
  if (res.req.method === 'HEAD') return void res.end();
  const pieces = whileAllowed(res, file, inPieces(form === 'csv' ? csvOf(file) : jsonOf(file)));
  const patience = leaveStalled(res, file.leftAfter ?? FILE_LEFT_AFTER);
  try {
    await pipeline(Readable.from(withPatience(patience, pieces)), res);
  } catch (error) {
    if (!isCutOff(error)) throw error;
  } finally {
    clearTimeout(patience);
  }
}
