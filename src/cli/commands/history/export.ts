import { open, rm } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { allEvents } from '../../../store/history/events.ts';
import type { Database } from '../../../store/driver/store.ts';
import { type PiecePrinter, printPieces } from '../print-pieces.ts';
import { withContext } from '../with-context.ts';
import { entryLine } from './entry-line.ts';
import {
  type HistoryOptions,
  type HistorySelection,
  readHistoryOptions,
  selectHistory,
} from './selection.ts';

async function* exportLines(db: Database, { after, matches }: HistorySelection): AsyncGenerator<string> {
  for await (const event of allEvents(db, after)) if (matches(event)) yield entryLine(event);
}

/** Why a new file cannot be made, in words. */
const UNMADE: Readonly<Record<string, string>> = {
  EEXIST: 'it exists already',
  ENOENT: 'its folder does not exist',
  ENOTDIR: 'the path of its folder is not a folder',
  EACCES: 'this user may not write to the folder',
};

async function writeInto(file: string, lines: AsyncIterable<string>): Promise<void> {
  const handle = await open(file, 'wx', 0o600).catch((cause: NodeJS.ErrnoException) => {
    const reason = UNMADE[cause.code ?? ''] ?? cause.message;
    throw new Error(`--output ${file} cannot be made: ${reason}`, { cause });
  });
  try {
    await pipeline(Readable.from(lines), handle.createWriteStream({ flush: true }));
  } catch (error) {
    // Half a history must not be taken for a whole history.
    await rm(file, { force: true });
    throw error;
  }
}

/** `history export`: the selected entries as one JSON object a line, on standard output or into a new file. */
export async function exportHistory(
  options: HistoryOptions & { output?: string },
  print: PiecePrinter = printPieces,
): Promise<void> {
  const { output } = options;
  const request = await readHistoryOptions(options);
  await withContext(async ({ context }) => {
    const lines = exportLines(context.store.durable, await selectHistory(context, request));
    await (output === undefined ? print(lines) : writeInto(output, lines));
  });
}
