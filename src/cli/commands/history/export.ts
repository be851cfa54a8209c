import { createWriteStream, existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { allEvents } from '../../../store/history/events.ts';
import { writeWhole } from '../../../store/files/draft-file.ts';
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

/** Half a history must not be taken for a whole one, so the file gets its name when it is whole. */
async function writeInto(file: string, lines: AsyncIterable<string>): Promise<void> {
  let unread: unknown;
  async function* read() {
    try {
      yield* lines;
    } catch (error) {
      unread = error;
      throw error;
    }
  }
  const make = (draft: string) => pipeline(read, createWriteStream(draft, { flush: true }));
  const target = resolve(file);
  if (existsSync(target)) throw new Error(`--output: ${target} exists already, and is not overwritten`);
  await writeWhole(target, { make }).catch((cause: Error) => {
    // A failure of the database is none of the file.
    throw unread ?? new Error(`--output: ${cause.message}`, { cause });
  });
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
